import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { readLocalConfig } from '../src/config/local-config.ts'
import { preparePython, prepareTypeScript, type Program } from './clients/prepare.ts'
import { freePorts } from './local/ports.ts'
import type { Addresses } from './local/stack.ts'
import { askSite } from './tour/client.ts'

/**
 * `npm run clients`: generates a client in TypeScript and one in Python from docs/openapi.json, checks the programs in
 * clients/ with strict types, and has both do the tour with an `npm start` of their own. Installs what it needs; the
 * Python client is left out, visibly, where Python or its packages cannot be had.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const readyLine = 'Ctrl-C stops everything.'

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-clients-'))
  // Postgres does not run as root, and has to enter.
  chmodSync(folder, 0o711)
  const platform = start(folder, await ports())
  const end = async (): Promise<void> => {
    await platform.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end().then(() => process.exit(1)))
  try {
    const programs = [await prepareTypeScript(root), await preparePython(root)]
    await platform.ready
    const addresses = JSON.parse(readFileSync(join(folder, 'addresses.json'), 'utf8')) as Addresses
    for (const program of programs) if (program) await tour(program, addresses)
  } finally {
    await end()
  }
}

async function ports(): Promise<Record<string, string>> {
  const [api, postgres, temporal, ui, dead, ...sites] = await freePorts(9)
  const numbers = { PORT: api, POSTGRES_PORT: postgres, TEMPORAL_PORT: temporal, TEMPORAL_UI_PORT: ui }
  const named = Object.entries({ ...numbers, DEAD_SITE_PORT: dead }).map(([name, port]) => [name, String(port)])
  return { ...Object.fromEntries(named), SITE_PORTS: sites.join(',') } as Record<string, string>
}

/** `npm start` with its own data and ports. */
function start(folder: string, settings: Record<string, string>) {
  const env = { ...readLocalConfig().environment, ...settings, DATA_DIR: folder }
  const child = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  const ready = untilReady(child)
  // Whoever waits for it hears of a failure; nobody waits while the clients are being prepared.
  ready.catch(() => undefined)
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  return { ready, stop }
}

function untilReady(child: ChildProcess): Promise<void> {
  const lines: string[] = []
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

/** A person makes a token at the site; everything else is up to the program. */
async function tour({ name, command, args, env }: Program, { api, sites, siteCaFile }: Addresses): Promise<void> {
  console.log(`\n━━ The tour with the ${name} client`)
  const site = sites[0] ?? ''
  const body = { user: 'ada', role: 'editor' }
  const made = await askSite(siteCaFile, { method: 'POST', url: `${site}/settings/tokens`, body })
  const child = spawn(command, [...args, api, site, String(made['token'])], {
    cwd: root,
    env: { ...readLocalConfig().environment, ...env },
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`The ${name} client ended with ${code}.`)
}

await main().catch((error: unknown) => {
  console.error(`\nThe clients failed: ${(error as Error).message}`)
  process.exitCode = 1
})
