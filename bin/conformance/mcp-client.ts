import { parseArgs } from 'node:util'
import pMap from 'p-map'
import { withOwnStart } from '../local/own-start.ts'
import { newAccount } from '../mcp-client/account.ts'
import { exceptions, revisions } from '../mcp-client/scenarios.ts'
import { createAttempt, installSuite, type Verdict } from '../mcp-client/suite.ts'

/**
 * `npm run conformance -- mcp-client [--scenario <text>]`: the client scenarios of the Model Context Protocol's own
 * conformance suite, with its own `npm start` as the client: the public API connects the address of a scenario, lists its
 * tools and calls them. Fails if a scenario fails that is no exception, or if an exception passes.
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

const nameOf = ({ revision, scenario }: Pick<Verdict, 'revision' | 'scenario'>): string => `${revision} ${scenario}`

const isExcepted = (one: Verdict): boolean => exceptions[nameOf(one)] !== undefined

const hasPassed = ({ problems }: Verdict): boolean => problems.length === 0

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { scenario: { type: 'string', default: '' } } })
  const chosen = revisions
    .flatMap(({ revision, scenarios }) => scenarios.map((scenario) => ({ revision, scenario })))
    .filter((one) => nameOf(one).includes(values.scenario))
  const verdicts = await withOwnStart('mcp-client', settings, async ({ folder, ready }) => {
    const bin = await installSuite(`${folder}/suite`)
    const { api: url, siteCaFile: caFile, siteCertificate } = await ready
    const token = await newAccount(url)
    const attempt = createAttempt({ bin, folder: `${folder}/suite`, url, token, caFile, ...siteCertificate })
    // More at once would make the time limits of the scenarios depend on the machine.
    return pMap(chosen, ({ revision, scenario }) => attempt(revision, scenario).then(shown), { concurrency: 2 })
  })
  const passed = verdicts.filter(hasPassed)
  const failed = verdicts.filter((one) => !hasPassed(one) && !isExcepted(one))
  const needless = passed.filter(isExcepted)
  console.log(`\n${passed.length} of ${verdicts.length} passed, ${failed.length} failed; the others are exceptions.`)
  for (const one of needless) console.log(`${nameOf(one)} passes, and is no exception any longer.`)
  if (failed.length + needless.length > 0) process.exitCode = 1
}

function shown(verdict: Verdict): Verdict {
  const state = hasPassed(verdict) ? 'passed' : isExcepted(verdict) ? 'excepted' : 'FAILED'
  console.log(`${state.padEnd(9)}${nameOf(verdict)} (${verdict.passed} checks passed)`)
  if (state === 'passed') return verdict
  for (const text of [exceptions[nameOf(verdict)] ?? [], verdict.problems].flat()) console.log(`         ${text}`)
  return verdict
}

await main().catch((error: unknown) => {
  console.error(`\n${(error as Error).message}`)
  process.exitCode = 1
})
