import test, { type ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import * as auth from '../../api/auth.ts'
import * as runs from '../../api/runs.ts'
import * as vault from '../../api/vault.ts'
import * as why from '../../api/why.ts'
import { startBadTools } from '../../examples/sites/bad-tools/server.ts'
import { migrations } from '../../migrations/index.ts'
import { createDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createLogger } from '../../src/logger.ts'
import { startLoops } from '../../src/loops.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { deliver, timelineOf, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { createOldDatabase, readSnapshot, snapshotKeys } from './before-baseline/old-database.ts'

/** Sites in the place of those that the snapshot knows. */
async function openSites(t: ExecutionContext) {
  const tls = await temporaryCertificates()
  const [bad, limited, calm] = await Promise.all([1, 2, 3].map(() => startBadTools({ port: 0, tls })))
  if (!bad || !limited || !calm) throw new Error('A site is missing')
  for (const { close } of [bad, limited, calm]) t.teardown(close)
  const hosts = {
    bad: new URL(bad.origin).host,
    limited: new URL(limited.origin).host,
    calm: new URL(calm.origin).host,
  }
  const env = { SITE_ALLOW: Object.values(hosts).join(','), SITE_CA_FILE: tls.caFile }
  return { hosts, env, requests: () => [bad, limited, calm].flatMap((site) => site.requests()) }
}

/** A platform without a worker on a database that was converted, and the owner of its agents. */
async function open(t: ExecutionContext) {
  const sites = await openSites(t)
  const snapshot = await readSnapshot(sites.hosts)
  const { url } = await createOldDatabase(t, snapshot)
  const database = createDatabase({ database: { url, pool: 2 } }, createLogger('silent', 'test'), { deadlines: false })
  t.teardown(() => database.destroy())
  await migrate(database, migrations, () => undefined)
  const quick = { RECONCILE_SECONDS: '1', STALL_SECONDS: '2' }
  const platform = await startPlatform(t, { env: { DATABASE_URL: url, ...snapshotKeys, ...quick, ...sites.env } })
  const { accessToken } = (await call(platform, auth.login, { body: snapshot.person })).body
  const someone: Person = { url: platform.url, token: accessToken, ...snapshot.person }
  return { sites, snapshot, platform, someone }
}

const allRuns = async (someone: Person) => (await call(someone, runs.listRuns, { query: { limit: '100' } })).body.items

test('every run that a converted database was at work on ends as if nothing had happened', async (t) => {
  t.timeout(120_000)
  const { sites, snapshot, platform, someone } = await open(t)
  const states = new Set((await allRuns(someone)).map(({ status }) => status))
  for (const status of ['queued', 'running', 'waiting'] as const) t.true(states.has(status), status)
  await platform.startWorker({ reconciles: true })
  const loops = startLoops(platform.services, 'everywhere')
  t.teardown(() => Promise.all(loops.map((loop) => loop.stop())))
  const paused = snapshot.tables['agents']?.find(({ name }) => name === 'paused')
  await call(someone, agents.resumeAgent, { params: { agentId: paused?.['id'] ?? '' } })
  const dead = snapshot.tables['vault_entries']?.find(({ status }) => status === 'needs_reauth')
  const reconnect = { params: { entryId: dead?.['id'] ?? '' }, body: { token: 'good-token' } }
  t.is((await call(someone, vault.replaceVaultToken, reconnect)).status, 200)
  const ended = await eventually(90, 'all runs end', async () => {
    const all = await allRuns(someone)
    return all.every(({ endedAt }) => endedAt !== null) ? all : undefined
  })
  const earlier = new Map(snapshot.tables['runs']?.map((run) => [run['id'], run]))
  t.is(ended.length, earlier.size)
  for (const { id, status, error } of ended) {
    const before = earlier.get(id)
    t.is(status, before?.['ended_at'] === undefined ? 'completed' : (before['status'] as typeof status), error ?? '')
  }
  const succeeded = sites.requests().filter(({ status }) => status === 200)
  const before = snapshot.tables['tool_calls']?.filter(({ status }) => status === 'succeeded') ?? []
  const keys = [...before.map((row) => row['idempotency_key']), ...succeeded.map((sent) => sent.idempotencyKey)]
  t.true(succeeded.length > 0)
  t.is(new Set(keys).size, keys.length, 'no call succeeds twice')
})

test('a delivery that the release before accepted gets its receipt after a conversion', async (t) => {
  const { snapshot, platform, someone } = await open(t)
  const known = snapshot.tables['runs']?.find((run) => run['idempotency_key'] === 'delivery-1')
  const agent = { id: known?.['agent_id'] ?? '', webhookSecret: snapshot.webhookSecret }
  const payload: unknown = JSON.parse(known?.['payload'] ?? '')
  const count = (await allRuns(someone)).length
  const repeated = await deliver(platform, agent, payload, { 'Idempotency-Key': 'delivery-1' })
  t.is(repeated.body.runId, known?.['id'] ?? '')
  const other = await deliver(platform, agent, { other: true }, { 'Idempotency-Key': 'delivery-1' })
  t.true(other.status >= 400)
  t.is((await allRuns(someone)).length, count)
})

test('lists, timelines and explanations of old runs are there after a conversion', async (t) => {
  const { snapshot, someone } = await open(t)
  const events = snapshot.tables['run_events'] ?? []
  events.sort((one, other) => Number(one['number']) - Number(other['number']))
  for (const run of await allRuns(someone)) {
    const kinds = events.filter((event) => event['run_id'] === run.id).map(({ kind = '' }) => kind)
    const found: string[] = (await timelineOf(someone, run.id)).map(({ kind }) => kind)
    t.deepEqual(found, kinds)
    t.is((await call(someone, why.whyRun, { params: { runId: run.id } })).status, 200)
  }
  const parked = (await call(someone, runs.listRuns, { query: { status: 'waiting' } })).body.items
  t.is(parked.length, 2)
})
