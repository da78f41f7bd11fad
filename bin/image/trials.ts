import { strict as assert } from 'node:assert'
import { setTimeout as wait } from 'node:timers/promises'
import type { Image } from './build.ts'
import type { Service } from '../compose.ts'
import { ran, startLine } from './container.ts'
import { metricsToken, mounted } from './installation.ts'
import { startService, type Running } from './service.ts'

export interface Ground {
  image: Image
  services: Record<string, Service>
  folder: string
  /** Services that a trial started for later ones. */
  running: Map<string, Running>
}

/** A trial resolves with what it saw, or throws. */
export interface Trial {
  says: string
  tries: (ground: Ground) => Promise<string>
}

const api = 'http://127.0.0.1:3000'
const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`

function running(ground: Ground, name: string): Running {
  const found = ground.running.get(name)
  assert(found, `${name} was not started`)
  return found
}

const start = (ground: Ground, name: string): Running => {
  const service = ground.services[name]
  assert(service, `docker-compose.yml has no service ${name}`)
  return startService(name, service, ground)
}

async function migrate(ground: Ground): Promise<string> {
  const { ended, memory } = start(ground, 'migrate')
  const { exitCode, lines } = await ended
  const peak = memory?.peak()
  memory?.remove()
  assert.equal(exitCode, 0, lines.join('\n'))
  const used = peak === undefined ? '' : `, with at most ${mebibytes(peak)}`
  return `${lines.at(-1)?.slice(0, 40)}${used}`
}

async function becomesHealthy(ground: Ground, name: string): Promise<string> {
  const began = performance.now()
  const service = start(ground, name)
  ground.running.set(name, service)
  await service.untilHealthy()
  return `after ${((performance.now() - began) / 1000).toFixed(1)} s`
}

/** Where anything may be written, in memory or with a read-only root not at all. */
const outside = ['/proc', '/sys', '/dev', '/tmp', '/var/tmp', '/home/node']

async function nothingWritable({ image }: Ground): Promise<string> {
  // Folders that it cannot enter are an error to `find`.
  const line = `find / ( ${outside.map((path) => `-path ${path}`).join(' -o ')} ) -prune -o ! -type l -writable -print`
  const script = `${line.replaceAll(/[()!]/g, String.raw`\$&`)} 2>/dev/null || true`
  const found = (await ran(startLine(image, ['sh', '-c', script]), 'find')).split('\n').filter(Boolean)
  const ofApp = found.filter((path) => path.startsWith('/app') || path.startsWith('/usr'))
  assert.deepEqual(ofApp, [])
  return `outside of /tmp and its home: ${found.length === 0 ? 'nothing' : found.join(', ')}`
}

const pages = ['/console', '/docs', '/docs/operate/docker', '/openapi.json', '/readyz']

async function servesPages(): Promise<string> {
  for (const path of pages) assert.equal((await fetch(api + path)).status, 200, path)
  const page = await (await fetch(`${api}/console`)).text()
  const [, script = ''] = /src="([^"]+\.js)"/.exec(page) ?? []
  assert.equal((await fetch(new URL(script, `${api}/console/`))).status, 200, `the console's script ${script}`)
  return pages.join(' ')
}

async function readsMountedFiles(ground: Ground): Promise<string> {
  const { items } = (await (await fetch(`${api}/auth/providers`)).json()) as { items: { provider: string }[] }
  assert.deepEqual(
    items.map(({ provider }) => provider),
    [mounted.provider],
  )
  const cookie = await signedIn(ground)
  const asked = async (path: string) => (await fetch(api + path, { headers: { cookie } })).text()
  assert.match(await asked('/models'), new RegExp(mounted.model))
  const { items: templates } = JSON.parse(await asked('/templates')) as { items: unknown[] }
  assert(templates.length > 0, 'there are templates')
  return `sign-in provider ${mounted.provider}, model ${mounted.model}; ${templates.length} templates`
}

/** Follows the link for the first admin as the console does. */
async function signedIn(ground: Ground): Promise<string> {
  const printed = await running(ground, 'api').exec(['node', '--run', 'admin', '--', 'first-admin'])
  const [token] = /sy_admin_[\w-]+/.exec(printed) ?? []
  assert(token !== undefined, printed)
  const made = await fetch(`${api}/auth/first-admin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: api },
    body: JSON.stringify({ token, email: 'ada@example.com', password: 'a long password of the trial' }),
  })
  assert.equal(made.status, 201, await made.text())
  return made.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
}

const operatorCommands = [
  ['admin', '--', 'doctor', '--all'],
  ['admin', '--', 'invite', 'grace@example.com'],
  ['admin', '--', 'backup', '/tmp/trial.backup'],
  ['admin', '--', 'rotate-keys', '--help'],
  ['admin', '--', 'rehearse-upgrade', '--help'],
  ['check-site', '--', '--help'],
]

async function runsCommands(ground: Ground): Promise<string> {
  for (const words of operatorCommands) await running(ground, 'api').exec(['node', '--run', ...words])
  return operatorCommands.map(([name, , word]) => `${name} ${word}`).join(', ')
}

async function canaryPasses(): Promise<string> {
  const headers = { authorization: `Bearer ${metricsToken}` }
  for (let tries = 60; tries > 0; tries -= 1) {
    const text = await (await fetch(`${api}/metrics`, { headers })).text()
    const [, seconds] = /^switchyard_canary_last_success_seconds(?:\{\})? ([\d.]+)/m.exec(text) ?? []
    if (seconds !== undefined) return 'accepted, queued, run and called back'
    await wait(1000)
  }
  throw new Error('no delivery of the canary passed within a minute')
}

const hoard = 'const kept = []; for (;;) kept.push(Array.from({ length: 100_000 }, () => ({})))'

/** Node ends by itself, with a report. If the kernel killed it, the exit code would be 137. */
async function staysWithinLimit(ground: Ground, name: string): Promise<string> {
  const { memory, limit } = running(ground, name)
  if (!memory) return 'NOT TRIED: no control group for memory on this machine'
  const usual = memory.peak()
  const service = { ...ground.services[name]!, command: ['node', '-e', hoard] }
  const hoarder = startService(`${name}-hoard`, service, ground)
  const { exitCode, lines } = await hoarder.ended
  const peak = hoarder.memory?.peak() ?? 0
  hoarder.memory?.remove()
  assert.match(lines.join('\n'), /JavaScript heap out of memory/)
  assert.notEqual(exitCode, 137)
  const ends = `a program that keeps everything ends without being killed, at ${mebibytes(peak)}`
  return `limit ${mebibytes(limit)}, so far at most ${mebibytes(usual)}; ${ends}`
}

async function stops(ground: Ground, name: string): Promise<string> {
  const began = performance.now()
  const service = running(ground, name)
  const exitCode = await service.stop()
  const printed = service.lines.join('\n')
  assert.equal(exitCode, 0, printed)
  assert.match(printed, /"msg":"stopped"/)
  ground.running.delete(name)
  service.memory?.remove()
  return `after ${((performance.now() - began) / 1000).toFixed(1)} s`
}

/** In this order: later ones need what earlier ones started. */
export const trials: Trial[] = [
  { says: 'the user of the image can write no file of the app', tries: nothingWritable },
  { says: 'migrate: applies the migrations', tries: migrate },
  { says: 'migrate: has nothing to do the second time', tries: migrate },
  { says: 'api: healthy by its health check (/readyz)', tries: (ground) => becomesHealthy(ground, 'api') },
  { says: 'worker: healthy by its health check (/healthz)', tries: (ground) => becomesHealthy(ground, 'worker') },
  { says: 'api: serves the console and the guide', tries: servesPages },
  { says: 'api: makes its first admin, and reads the files of ./config', tries: readsMountedFiles },
  { says: 'a delivery of the canary passes', tries: canaryPasses },
  { says: 'operator commands run in the container of the API', tries: runsCommands },
  { says: 'api: memory', tries: (ground) => staysWithinLimit(ground, 'api') },
  { says: 'worker: memory', tries: (ground) => staysWithinLimit(ground, 'worker') },
  { says: 'worker: ends when asked', tries: (ground) => stops(ground, 'worker') },
  { says: 'api: ends when asked', tries: (ground) => stops(ground, 'api') },
]
