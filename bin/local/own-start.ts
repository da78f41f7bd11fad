import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from '../execa.ts'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { freePorts } from './ports.ts'
import type { Addresses } from './stack.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const readyLine = 'Ctrl-C stops everything.'

/** An `npm start` for one command. */
export interface OwnStart {
  folder: string
  lines: string[]
  /** Its addresses, once it is ready. Rejects with its output if it ends first. */
  ready: Promise<Addresses>
}

/**
 * Does the work beside an `npm start` with its own data, ports and settings. Afterwards stops it and deletes its data,
 * also if this process is asked to end.
 */
export async function withOwnStart<T>(
  name: string,
  settings: Record<string, string>,
  work: (own: OwnStart) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `switchyard-${name}-`))
  // Postgres does not run as root, and must be able to enter.
  chmodSync(folder, 0o711)
  const platform = start({ ...(await ports()), ...settings, DATA_DIR: folder })
  const end = async (): Promise<void> => {
    await platform.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end().then(() => process.exit(1)))
  const ready = platform.ready.then(() => JSON.parse(readFileSync(join(folder, 'addresses.json'), 'utf8')) as Addresses)
  // A caller who awaits this gets the failure, but there may be none yet.
  ready.catch(() => undefined)
  try {
    return await work({ folder, lines: platform.lines, ready })
  } finally {
    await end()
  }
}

async function ports(): Promise<Record<string, string>> {
  const [api, postgres, temporal, ui, dead, ...others] = await freePorts(17)
  const numbers = { PORT: api, POSTGRES_PORT: postgres, TEMPORAL_PORT: temporal, TEMPORAL_UI_PORT: ui }
  const named = Object.entries({ ...numbers, DEAD_SITE_PORT: dead }).map(([name, port]) => [name, String(port)])
  return {
    ...Object.fromEntries(named),
    SITE_PORTS: others.slice(0, 4).join(','),
    CONFORMANCE_PORTS: others.slice(4).join(','),
  } as Record<string, string>
}

function start(settings: Record<string, string>) {
  const lines: string[] = []
  const { promise: isReady, resolve: seen } = Promise.withResolvers<void>()
  const report = function* (line: string) {
    lines.push(line)
    if (line === readyLine) seen()
    yield line
  }
  const env = { ...readLocalConfig().environment, ...settings }
  const output = { stdout: report, stderr: report, buffer: false }
  const child = execa('npm', ['start'], { cwd: root, env, extendEnv: false, stdin: 'ignore', ...output, reject: false })
  const failed = child.then(({ shortMessage }) => {
    throw new Error([shortMessage, ...lines].join('\n'))
  })
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await child
  }
  return { lines, ready: Promise.race([isReady, failed]), stop }
}
