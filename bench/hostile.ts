import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createCertificates } from '../bin/local/certificates.ts'
import { freePorts } from '../bin/local/ports.ts'
import { hostileManifests, hostileObjects } from '../test/helpers/hostile-json.ts'
import { manifestWith } from '../test/helpers/hostile-site.ts'
import { customer, person } from '../test/helpers/people.ts'
import { openAttacker } from './hostile/attacker.ts'
import { openBenchServers } from './servers.ts'

/**
 * `npm run bench:hostile`: how long somebody else's request waits while hostile manifests, schemas, arguments, payloads
 * and results of maximum size are given to the same API process, and whether a worker that carries out their runs
 * misses heartbeats. API, worker, site and the other user are processes of their own. Fails if a request waits more than
 * 250 ms, or if an activity had to be repeated. `-- <words>` names some of the cases.
 */
const longestWaitMs = 250
/** A worker sends heartbeats every second, and has five to be missed. */
const longestWorkerMs = 1000

const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
// If we are root, Postgres runs as another user, which must get through.
chmodSync(folder, 0o711)
const { caFile, certFile, keyFile } = await createCertificates(join(folder, 'certificates'))
const [sitePort = 0] = await freePorts(1)
const origin = `https://127.0.0.1:${sitePort}`
const large = '1000000000'
const servers = await openBenchServers(folder, true, {
  SITE_ALLOW: `127.0.0.1:${sitePort}`,
  SITE_CA_FILE: caFile,
  DEMO_DIRECTIVES: 'true',
  ACCESS_TOKEN_SECONDS: '3600',
  OUTGOING_PER_MINUTE: large,
  RUN_TOKENS: large,
  RUN_CREDITS: large,
})
const start = (name: string, ...given: string[]): ChildProcess =>
  fork(fileURLToPath(new URL(`hostile/${name}.ts`, import.meta.url)), given)

const site = start('site', String(sitePort), certFile, keyFile)
await once(site, 'message')
const someone = await person(servers)
const idleServer = start('idle-server')
const [idlePort] = (await once(idleServer, 'message')) as [number]
const neighbour = start('neighbour', servers.url, someone.token, `http://127.0.0.1:${idlePort}`)
const plain = JSON.stringify(manifestWith(`${origin}/api`))
const publish = async (answers: { manifest?: string; result?: string }): Promise<void> => {
  site.send(answers)
  await once(site, 'message')
}
await publish({ manifest: plain })
const attacker = await openAttacker(await customer(servers, 'enterprise'), { origin, plain, publish })

/** For how long an event loop was held up: until its next turn, and in processor time. */
interface Held {
  maxMs: number
  cpuMs: number
}
const none: Held = { maxMs: 0, cpuMs: 0 }

/** What the neighbour has waited, and for how long the event loops were held up, since the last time. */
async function look() {
  const loops = servers.processes.map(async ({ lines, pid }) => {
    const said = new Promise<Held>((resolve) => {
      lines.on('line', function listen(line) {
        if (!line.includes('"msg":"event loop"')) return
        lines.off('line', listen)
        resolve(JSON.parse(line) as Held)
      })
    })
    process.kill(Number(pid), 'SIGUSR2')
    return said
  })
  const [api = none, worker = none] = await Promise.all(loops)
  neighbour.send('look')
  const [waited] = (await once(neighbour, 'message')) as [
    { count: number; worst: number; idle: number; failures: number },
  ]
  return { api, worker, ...waited }
}

const mebibyte = 1024 * 1024
const of = (kind: string, texts: Record<string, string>, work: (text: string, name: string) => Promise<unknown>) =>
  Object.entries(texts).map(([name, text]) => ({ name: `${kind}: ${name}`, run: () => work(text, name) }))
const later = hostileManifests(`${origin}/api`, 1)
const wanted = process.argv.slice(2)
const cases = [
  ...of('payload', hostileObjects(mebibyte), attacker.deliverPayload),
  ...of('result', hostileObjects(mebibyte), (text) => attacker.answerCalls(text)),
  ...of('arguments', hostileObjects(256 * 1024 - 1), (text) => attacker.giveArguments(text)),
  ...of('manifest', hostileManifests(`${origin}/api`), (text, name) =>
    attacker.publishManifest(text, later[name] ?? ''),
  ),
].filter(({ name }) => wanted.every((word) => name.includes(word)))

type Measured = Awaited<ReturnType<typeof look>>

/** Whether it may be the case that held somebody up. */
const isSlow = ({ worst: wait, idle, failures, worker }: Measured) =>
  wait - idle > longestWaitMs || failures > 0 || worker.maxMs > longestWorkerMs

async function measure(run: () => Promise<unknown>): Promise<Measured> {
  await look()
  await run()
  return look()
}

/**
 * Measures the case up to three times, and takes the shortest wait: what the case does, it does every time, and what
 * other programs on this machine do, they do not.
 */
async function judge(run: () => Promise<unknown>): Promise<Measured & { tries: number }> {
  let best = await measure(run)
  let tries = 1
  for (; isSlow(best) && tries < 3; tries += 1) {
    const next = await measure(run)
    if (next.worst - next.idle < best.worst - best.idle) best = next
  }
  return { ...best, tries }
}

const told = ({ worst: wait, idle, failures, api, worker }: Measured) =>
  `waited ${wait.toFixed(0).padStart(4)} ms at most (an idle server: ${idle.toFixed(0)} ms)${failures > 0 ? `, ${failures} failed` : ''}; held up: ` +
  `API ${api.maxMs} ms (processor ${api.cpuMs} ms), worker ${worker.maxMs} ms (${worker.cpuMs} ms)`

const all: Measured[] = []
try {
  await attacker.deliverPayload('{}')
  console.log(`${'idle'.padEnd(60)} ${told(await measure(() => delay(3000)))}`)
  for (const { name, run } of cases) {
    const measured = await judge(run)
    all.push(measured)
    console.log(
      `${name.padEnd(60)} ${told(measured)}${measured.tries > 1 ? `; the best of ${measured.tries} tries` : ''}`,
    )
  }
  const most = (of: (measured: Measured) => number) => Math.max(0, ...all.map(of))
  const repeated = attacker.repeatedAttempts()
  console.log(
    `\n${cases.length} cases. The worst wait: ${most(({ worst }) => worst).toFixed(0)} ms; above that for an idle server: ` +
      `${most(({ worst, idle }) => worst - idle).toFixed(0)} ms (of ${longestWaitMs}). ` +
      `Held up at most: API ${most(({ api }) => api.maxMs)} ms (processor ${most(({ api }) => api.cpuMs)} ms), ` +
      `worker ${most(({ worker }) => worker.maxMs)} ms (${most(({ worker }) => worker.cpuMs)} ms) of ${longestWorkerMs}. ` +
      `Attempts of activities that were repeated: ${repeated}.`,
  )
  if (all.some(isSlow) || repeated > 0) process.exitCode = 1
} finally {
  neighbour.disconnect()
  idleServer.disconnect()
  site.disconnect()
  await servers.close()
  rmSync(folder, { recursive: true, force: true })
}
