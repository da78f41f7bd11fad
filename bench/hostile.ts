import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createCertificates } from '../bin/local/certificates.ts'
import { freePorts } from '../bin/local/ports.ts'
import { manifestWith } from '../test/helpers/hostile-site.ts'
import { customer, person } from '../test/helpers/people.ts'
import { openAttacker } from './hostile/attacker.ts'
import { bodies, carriedOut, groupOf, requests, type Group } from './hostile/cases.ts'
import { knownSecrets, mostSites, writeModels } from './hostile/known-secrets.ts'
import { printEnd, printOthers, printRow, worstOf, type Row } from './hostile/report.ts'
import { createWatch } from './hostile/watch.ts'
import { ask, nextMessage, startIn } from './shared/child.ts'
import { temporaryFolder as folder } from './shared/folder.ts'
import { openBenchServers } from './shared/servers.ts'

/**
 * `npm run bench -- hostile`: how long the API's event loop is blocked, and how long another user's request waits,
 * while one API process gets the largest input that is hard to read: queries, headers, cookies and paths, every body
 * of the OpenAPI document, connections, and manifests, payloads, arguments and results. API, worker, site and the
 * other user are separate processes. Fails if one turn of the API's event loop takes more than 50 ms of processor
 * time, if a request waits more than 250 ms, or if an activity had to be repeated. `-- <words>` selects groups.
 */
const { caFile, certFile, keyFile } = await createCertificates(join(folder, 'certificates'))
/** Sites must not use the ports of usual services, as the ports above these are. */
const sitePorts = await freePorts(mostSites, { from: 20_000, to: 27_000 })
const origins = sitePorts.map((port) => `https://127.0.0.1:${port}`)
const [origin = ''] = origins
const start = startIn(new URL('hostile/', import.meta.url))
const model = start('model')
const modelPort = await nextMessage<number>(model)
const large = '1000000000'
const servers = await openBenchServers(folder, true, {
  SITE_ALLOW: sitePorts.map((port) => `127.0.0.1:${port}`).join(','),
  MODELS_FILE: writeModels(folder, modelPort),
  SITE_CA_FILE: caFile,
  DEMO_DIRECTIVES: 'true',
  ACCESS_TOKEN_SECONDS: '3600',
  TRUSTED_PROXIES: '1',
  OUTGOING_PER_MINUTE: large,
  RUN_TOKENS: large,
  RUN_CREDITS: large,
  RATE_LIMIT_BROWSER_PER_MINUTE: large,
  RATE_LIMIT_RECOVERY_PER_HOUR: large,
  RATE_LIMIT_TRIES_PER_HOUR: large,
  RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE: large,
})
const site = start('site', certFile, keyFile, ...sitePorts.map(String))
await nextMessage(site)
const someone = await person(servers)
const idleServer = start('idle-server')
const idlePort = await nextMessage<number>(idleServer)
const neighbour = start('neighbour', servers.url, someone.token, `http://127.0.0.1:${idlePort}`)
const plain = JSON.stringify(manifestWith(`${origin}/api`))
const publish = (answers: { manifest?: string; result?: string }): Promise<void> => ask(site, answers)
await publish({ manifest: plain })
const tell = (text: string): Promise<void> => ask(model, text)
const newOwner = () => customer(servers, 'enterprise')
const owner = await newOwner()
const makeAdmin = fileURLToPath(new URL('../bin/admin.ts', import.meta.url))
execFileSync(process.execPath, [makeAdmin, 'make-admin', owner.email], { env: { DATABASE_URL: servers.database } })
const attacker = await openAttacker(owner, { origin, plain, publish })
const watch = createWatch(servers, neighbour)

async function judgeGroup({ name: group, cases }: Group): Promise<Row[]> {
  const rows: Row[] = []
  for (const { what, run } of cases) {
    const look = async () => {
      // A session may have a few answers in progress, and odd messages that are accepted start one.
      for (let tries = 0; tries < 10; tries++) {
        if ((await run()) !== 429) return
        await delay(1000)
      }
      limited.push(`${group}: ${what}`)
    }
    rows.push({ group, what, count: cases.length, ...(await watch.judge(look)) })
  }
  return rows
}

/** Requests that were refused although there are no limits, and so measure nothing. */
const limited: string[] = []

const wanted = process.argv.slice(2)
const rows: Row[] = []
let count = 0
try {
  await attacker.deliverPayload('{}')
  printRow({ group: 'idle', what: '', count: 1, tries: 1, ...(await watch.measure(() => delay(3000))) })
  const place = await attacker.place()
  const groups = [
    ...requests(place, owner.token),
    ...(await bodies(place)),
    ...carriedOut(attacker, origin),
    ...Object.entries(knownSecrets({ newOwner, origins, publish, tell })).map(([name, each]) => groupOf(name, each)),
  ]
  for (const group of groups.filter(({ name }) => wanted.every((word) => name.includes(word)))) {
    count += group.cases.length
    const all = await judgeGroup(group)
    const worst = worstOf(all)
    if (!worst) continue
    printRow(worst)
    printOthers(all, worst)
    rows.push(worst)
  }
  for (const each of limited) console.log(`✘ refused with 429: ${each}`)
  if (limited.length > 0) process.exitCode = 1
  if (!printEnd(rows, count, attacker.repeatedAttempts())) process.exitCode = 1
} finally {
  neighbour.disconnect()
  idleServer.disconnect()
  site.disconnect()
  model.disconnect()
  await servers.close()
}
