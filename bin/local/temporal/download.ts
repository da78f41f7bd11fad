import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { onRecord, type ProcessRecord } from '../process-record.ts'

/** How to get the Temporal program. */
export interface GetTemporal {
  target: string
  version: string
  environment: Record<string, string>
  /** The record of the processes that are started to get it. */
  record: ProcessRecord
  say: (text: string) => void
}

/** The download ends when nothing has arrived for this long: if downloads are blocked, a start must not hang. */
const idleSeconds = 30

const script = join(import.meta.dirname, 'fetch.ts')

/** Lets the Temporal SDK download the program. Returns undefined, or a sentence that says why it failed. */
export async function downloadTemporal({ target, version, environment, record, say }: GetTemporal) {
  const arrived = join(dirname(target), `temporal-v${version}`)
  const partial = `${arrived}.downloading`
  rmSync(partial, { force: true })
  say(`Downloading the Temporal server ${version} (about 60 MB) ...`)
  const child = execa(process.execPath, [script, dirname(target), `v${version}`], {
    ...onRecord,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  record.add('temporal-download', child.pid!, 'SIGTERM')
  const watch = watchProgress(partial, say, () => child.kill('SIGKILL'))
  const { stderr } = await child
  watch.end()
  record.remove(child.pid!)
  rmSync(partial, { force: true })
  if (existsSync(arrived)) return renameSync(arrived, target)
  return `The Temporal server could not be downloaded (${watch.gaveUp() ? `nothing arrived for ${idleSeconds} s` : lastCause(stderr)}).`
}

function watchProgress(file: string, say: (text: string) => void, giveUp: () => void) {
  let [bytes, changed, reportedAt, given] = [0, Date.now(), Date.now(), false]
  const timer = setInterval(() => {
    const now = existsSync(file) ? statSync(file).size : 0
    if (now !== bytes) [bytes, changed] = [now, Date.now()]
    if (Date.now() - reportedAt > 5000) {
      reportedAt = Date.now()
      say(`  ${Math.round(bytes / 1e6)} MB so far`)
    }
    if (Date.now() - changed < idleSeconds * 1000) return
    given = true
    giveUp()
  }, 500)
  return { end: () => clearInterval(timer), gaveUp: () => given }
}

/** The SDK prints the whole chain of causes; the last one is the useful one. */
const lastCause = (text: string): string => text.trim().split(/\n|: /).at(-1)?.trim() || 'no reason given'
