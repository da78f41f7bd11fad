import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { withOwnStart, type OwnStart } from '../local/own-start.ts'

/**
 * `npm run conformance -- twice`: runs the conformance check twice against its own `npm start`. If a row fails or is
 * not tried, prints the ends of all logs and exits with 1.
 */
const program = fileURLToPath(new URL('../conformance.ts', import.meta.url))
const linesOfLog = 15

async function check(folder: string): Promise<number | null> {
  const env = { ...readLocalConfig().environment, DATA_DIR: folder }
  const child = spawn(process.execPath, [program], { env, stdio: 'inherit' })
  const [code] = (await once(child, 'close')) as [number | null]
  return code
}

function endsOfLogs({ folder, lines }: OwnStart): string {
  const logs = join(folder, 'logs')
  const ends = readdirSync(logs).map(
    (name) => [name, readFileSync(join(logs, name), 'utf8').trim().split('\n')] as const,
  )
  return [['npm start', lines] as const, ...ends]
    .map(([name, all]) => `━━ ${name}\n${all.slice(-linesOfLog).join('\n')}`)
    .join('\n\n')
}

try {
  await withOwnStart('conformance', {}, async (start) => {
    await start.ready
    const codes: (number | null)[] = []
    for (const time of ['first', 'second']) {
      console.log(`\n━━ The ${time} time`)
      codes.push(await check(start.folder))
    }
    if (codes.every((code) => code === 0)) return
    console.error(endsOfLogs(start))
    throw new Error(`npm run conformance exited with ${codes.join(' and ')}.`)
  })
} catch (error) {
  console.error(`\n${(error as Error).message}`)
  process.exitCode = 1
}
