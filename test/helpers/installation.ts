import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePorts } from '../../bin/local/ports.ts'
import { recorded } from '../../bin/local/process-record.ts'
import { ownServerOptions, sharedServers } from './servers.ts'

const root = join(import.meta.dirname, '../..')
/** The last line of a start, printed when everything is ready. */
const readyLine = 'Ctrl-C stops everything.'

export const placeholder = (name: 'api' | 'worker' | 'sites'): string =>
  join(root, 'test/bin/placeholders', `${name}.ts`)

/** A start as a process; `lines` is its output. */
export interface Start {
  pid: number
  lines: string[]
  /** Resolves when everything is ready. Rejects with its output if it ends first. */
  ready: Promise<void>
  /** The exit code; null after an unhandled signal. */
  ended: Promise<number | null>
  kill: (signal: NodeJS.Signals) => void
}

/** `npm start` in its own folder with its own ports, and with stand-ins for the API and the worker. */
export async function installation(environment: Record<string, string> = {}) {
  const { folder, record, environment: own } = ownServerOptions()
  const [api = 0, postgres = 0, temporal, ui, ...sites] = await freePorts(8)
  const data = join(folder, 'data')
  const env = {
    ...own,
    DATA_DIR: data,
    PORT: String(api),
    POSTGRES_PORT: String(postgres),
    TEMPORAL_PORT: String(temporal),
    TEMPORAL_UI_PORT: String(ui),
    SITE_PORTS: sites.join(','),
    TEMPORAL_BINARY: sharedServers().temporalBinary,
    ...environment,
  }

  function start(scripts: { api?: string; worker?: string; sites?: string } = {}): Start {
    const standIns = Object.entries({ api: placeholder('api'), worker: placeholder('worker'), ...scripts })
    const args = ['bin/start.ts', ...standIns.flatMap(([name, script]) => [`--${name}`, script])]
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    // Recorded, so that a failing test leaves no processes.
    record.add('start', child.pid!, 'SIGTERM')
    const lines: string[] = []
    const ended = once(child, 'close').then(([code]) => code as number | null)
    const ready = new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => lines.push(line) && line === readyLine && resolve())
      }
      void ended.then((code) => reject(new Error(`The start ended with ${code}:\n${lines.join('\n')}`)))
    })
    ready.catch(() => undefined)
    return { pid: child.pid!, lines, ready, ended, kill: (signal) => void child.kill(signal) }
  }

  const records = join(data, 'processes')
  return {
    data,
    records,
    api,
    postgres,
    start,
    apiStatus: async () => (await fetch(`http://127.0.0.1:${api}/`)).status,
    secrets: () => readFileSync(join(data, 'secrets.json'), 'utf8'),
    /** The recorded processes, which are all that the starter has started. */
    processes: () => recorded(records),
  }
}

export type Installation = Awaited<ReturnType<typeof installation>>
