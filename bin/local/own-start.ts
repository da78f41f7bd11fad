import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { freePorts } from './ports.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const readyLine = 'Ctrl-C stops everything.'

/** An `npm start` with its own data and free ports. */
export interface OwnStart {
  folder: string
  /** What it has printed. */
  lines: string[]
  /** Fails with what it has printed if it ends before it is ready. */
  ready: Promise<void>
}

/** Starts everything in a new folder, does the work, stops it and removes the folder; also if it is asked to stop. */
export async function withOwnStart(name: string, work: (start: OwnStart) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `switchyard-${name}-`))
  // Postgres does not run as root, and has to enter.
  chmodSync(folder, 0o711)
  const env = { ...readLocalConfig().environment, ...(await ownPorts()), DATA_DIR: folder }
  const child = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  const lines: string[] = []
  const ready = untilReady(child, lines)
  // Whoever waits for it hears of a failure; nobody waits while the work prepares itself.
  ready.catch(() => undefined)
  const end = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end().then(() => process.exit(1)))
  try {
    await work({ folder, lines, ready })
  } finally {
    await end()
  }
}

async function ownPorts(): Promise<Record<string, string>> {
  const [api, postgres, temporal, ui, dead, ...others] = await freePorts(17)
  return {
    PORT: String(api),
    POSTGRES_PORT: String(postgres),
    TEMPORAL_PORT: String(temporal),
    TEMPORAL_UI_PORT: String(ui),
    DEAD_SITE_PORT: String(dead),
    SITE_PORTS: others.slice(0, 4).join(','),
    CONFORMANCE_PORTS: others.slice(4).join(','),
  }
}

function untilReady(child: ChildProcess, lines: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout!, child.stderr!])
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        if (line === readyLine) resolve()
      })
    child.on('error', reject)
    child.on('close', (code) => reject(new Error(`npm start ended with ${code}:\n${lines.join('\n')}`)))
  })
}
