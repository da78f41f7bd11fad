import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { onRecord, type ProcessRecord } from '../process-record.ts'
import { watchArrival } from './arrival.ts'

/** How to get the Temporal program. */
export interface GetTemporal {
  target: string
  version: string
  environment: Record<string, string>
  /** The record of the processes that are started to get it. */
  record: ProcessRecord
  say: (text: string) => void
}

/**
 * A name that does not resolve, a refused connection and a 403 end the download at once. Only a network that drops
 * packets is silent. A working one sends the first byte within a few seconds, after two short requests, and there are
 * two other ways to the program, so we wait ten seconds for it. A download that has begun may pause for longer.
 */
const silence = { firstSeconds: 10, idleSeconds: 30 }

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
  const measure = () => statSync(partial, { throwIfNoEntry: false })?.size ?? 0
  const watch = watchArrival({ ...silence, measure, say, giveUp: () => child.kill('SIGKILL') })
  const { stderr } = await child
  watch.end()
  record.remove(child.pid!)
  rmSync(partial, { force: true })
  if (existsSync(arrived)) return renameSync(arrived, target)
  return `The Temporal server could not be downloaded (${watch.silence() ?? lastCause(stderr)}).`
}

/** The SDK prints the whole chain of causes; the last one is the useful one. */
const lastCause = (text: string): string => text.trim().split(/\n|: /).at(-1)?.trim() || 'no reason given'
