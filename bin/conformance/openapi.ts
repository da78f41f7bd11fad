import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withOwnStart } from '../local/own-start.ts'
import { newAccount } from '../mcp-client/account.ts'
import { callOne, readFile, type Reading } from '../openapi-documents/attempt.ts'
import { installMock, unpack } from '../openapi-documents/install.ts'
import { startMock } from '../openapi-documents/mock.ts'
import { published, type Published } from '../openapi-documents/published.ts'

/**
 * `npm run conformance -- openapi [--document <text>]`: twenty published OpenAPI documents are read, and one operation of
 * each is called through the public API of an own `npm start`, at a mock that is made from the document and checks the
 * request by it. Fails if a call does, or if a document is read that is to be refused.
 */
const settings = {
  SITE_ALLOW: '127.0.0.0/8,::1/128',
  OUTGOING_PER_MINUTE: '6000',
  OUTGOING_COUNT_PORTS: 'true',
  ACCESS_TOKEN_SECONDS: '3600',
  RATE_LIMIT_PER_MINUTE: '1000000',
  RATE_LIMIT_TRIES_PER_HOUR: '1000000',
  RATE_LIMIT_CHANGES_PER_MINUTE: '1000000',
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { document: { type: 'string', default: '' } } })
  const chosen = published.filter((one) => nameOf(one).includes(values.document))
  const failed = await withOwnStart('openapi', settings, async ({ folder, ready }) => {
    const program = await installMock(join(folder, 'mock'))
    const packs = [...new Set(chosen.map(({ pack }) => pack))]
    const folders = new Map<string, string>()
    for (const pack of packs) folders.set(pack, await unpack(pack, folder))
    const { api, siteCertificate } = await ready
    const token = await newAccount(api)
    let count = 0
    for (const one of chosen) {
      const file = join(folders.get(one.pack) ?? '', one.file)
      const use = async () => {
        const mock = await startMock(program, file, siteCertificate)
        try {
          return await callOne(api, token, mock, one)
        } finally {
          await mock.close()
        }
      }
      count += (await isRight(one, readFile(file), use)) ? 0 : 1
    }
    return count
  })
  console.log(`\n${chosen.length - failed} of ${chosen.length} documents are as expected.`)
  if (failed > 0) process.exitCode = 1
}

const nameOf = ({ pack, file }: Published): string => `${pack} ${file}`

/** Whether a document is refused, or its operation answered, as expected. */
async function isRight(one: Published, reading: Reading, use: () => Promise<string>): Promise<boolean> {
  const { kilobytes, ms, offered, leftOut, problem } = reading
  console.log(`${nameOf(one)}: ${kilobytes} KB, ${ms} ms, ${offered} operations`)
  for (const text of leftOut) console.log(`    left out ${text}`)
  if (one.refused !== undefined || problem !== undefined) {
    console.log(`    refused: ${problem}`)
    return one.refused !== undefined && problem?.includes(one.refused) === true
  }
  const answer = await use().catch((error: unknown) => error as Error)
  console.log(answer instanceof Error ? `    FAILED: ${answer.message}` : `    ${one.tool}: ${answer}`)
  return !(answer instanceof Error)
}

await main().catch((error: unknown) => {
  console.error(`\n${(error as Error).message}`)
  process.exitCode = 1
})
