// @promise crashes
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as auth from '../../api/auth.ts'
import * as health from '../../api/health.ts'
import * as runs from '../../api/runs.ts'
import * as vault from '../../api/vault.ts'
import { call } from '../helpers/client.ts'
import { startOwnPostgres } from '../helpers/database.ts'
import { eventually } from '../helpers/eventually.ts'
import { connectBadTools, customer, deliver, ended, timelineOf, webhookAgent, type Person } from '../helpers/people.ts'
import { dataOf } from '../helpers/runs.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { askedFor, courseOf, isGapless, measured, untilAsked, untilEvent } from './record.ts'
import {
  callDirectly,
  catchRefresh,
  historyOf,
  noticesOf,
  openOwner,
  refreshesAt,
  startRunOf,
  statusOf,
  untilExpired,
} from './refresh-stage.ts'
import { openStage } from './stage.ts'

/** One Postgres of this file's own, and the processes that need it. */
const world = forWholeFile(test, 'postgres-away', async (t) => {
  const postgres = await startOwnPostgres(t)
  const sites = await startSites(t)
  const env = { DATABASE_URL: postgres.url, RATE_LIMIT_STORE: 'postgres' }
  const stage = await openStage(t, { sites, contacts: {}, allow: sites.allow, env })
  // The servers of tests give up durability for speed; here it is a subject.
  await stage.platform.services.database.raw('alter database switchyard set synchronous_commit = on')
  // One worker of the suite bundles its workflows itself, as all do in production.
  const patient = { SHUTDOWN_SECONDS: '60' }
  const [api, worker] = await Promise.all([stage.startApi(), stage.startWorker(patient, { bundles: true })])
  return { postgres, stage, api, worker }
})

/** Postgres is stopped in the middle of everything, and started when tokens, leases and patience have had their time. */
const outage = forWholeFile(test, 'outage', async () => {
  const { postgres, stage, api } = await world()
  const { badTools } = stage.sites
  const someone = { ...(await customer(stage.platform)), url: api.url }
  const vaultEntryId = await connectBadTools(someone, stage.sites)
  const thinker = await webhookAgent(someone, { systemPrompt: '[[sleep 2]]' })
  const systemPrompt = '[[call slow_once {"seconds":3}]][[call slow_read {"seconds":3}]]'
  const caller = await webhookAgent(someone, { systemPrompt, sites: [{ vaultEntryId }] })
  const owner = await openOwner(stage, 1)
  await untilExpired(stage, [owner])
  const thinking = (await deliver(api, thinker, {})).body.runId
  const queued = (await deliver(api, thinker, {})).body.runId
  const calling = (await deliver(api, caller, {})).body.runId
  await untilEvent(someone, thinking, 'step.started')
  for (const tool of ['slow_once', 'slow_read']) await untilAsked(badTools.requests, tool)

  // The site answers with new tokens when there is nowhere to put them.
  const caught = catchRefresh(stage.contacts, { deliver: true, meanwhile: postgres.stop })
  const refreshing = await startRunOf(owner)
  await caught
  const stopped = Date.now()
  const answers = await askEverything(someone, thinker, thinking)
  const isAlive = (await call({ url: api.url }, health.healthz)).status === 200
  // Every activity in flight has failed by then at least once, and no holder of a lease of ten seconds can extend it.
  await delay(Math.max(0, 12_000 - (Date.now() - stopped)))
  stage.contacts.intercept(undefined)
  await postgres.start()
  const back = Date.now()
  // From another process than the one that has the tokens, and at once: both want to write, and the lease is over.
  const called = eventually(20, 'a direct call succeeds', async () =>
    (await callDirectly(owner)).status === 200 ? Date.now() - back : undefined,
  )
  // If it fails, that is for the test to say that looks at it.
  called.catch(() => undefined)
  return {
    someone,
    thinker,
    runIds: [thinking, queued, calling],
    owner,
    refreshing,
    called,
    answers,
    isAlive,
    back,
  }
})

async function askEverything(someone: Person, agent: Awaited<ReturnType<typeof webhookAgent>>, runId: string) {
  const { url, email, password } = someone
  const asked = [
    () => deliver({ url }, agent, {}),
    () => call({ url }, auth.login, { body: { email, password } }),
    () => call(someone, auth.me),
    () => call(someone, agents.listAgents),
    () => call(someone, agents.createAgent, { body: { name: 'One', systemPrompt: 'Report.', trigger: 'manual' } }),
    () => call(someone, runs.getRun, { params: { runId } }),
    () => call(someone, runs.cancelRun, { params: { runId } }),
    () => call(someone, vault.listVault),
    () => call({ url }, health.readyz),
  ]
  return Promise.all(
    asked.map(async (ask) => {
      const began = Date.now()
      return { answer: await ask(), took: Date.now() - began }
    }),
  )
}

// @promise postgres
test.serial('while Postgres is stopped every route says so in time, and then all works again', async (t) => {
  const { stage, api, worker } = await world()
  const { someone, thinker, runIds, answers, isAlive, back } = await outage()
  measured(t, `answers while Postgres is stopped took ${answers.map(({ took }) => took).join(', ')} ms`)
  for (const { answer, took } of answers) {
    t.is(answer.status, 500)
    t.is(answer.failure.code, 'INTERNAL_ERROR')
    // Other faults have this code too; that it is the database is what people are to read.
    t.regex(answer.failure.error, /cannot reach its database/)
    t.regex(answer.headers.get('retry-after') ?? '', /^\d+$/)
    t.true(took < 8000)
  }
  t.true(isAlive)
  await eventually(10, 'the API is ready again', async () =>
    (await call({ url: api.url }, health.readyz)).status === 200 ? true : undefined,
  )
  for (const runId of runIds) {
    t.is((await ended(someone, runId, 60)).status, 'completed')
    const timeline = await timelineOf(someone, runId)
    measured(t, `${Date.now() - back} ms from the return of Postgres: ${courseOf(timeline).join(', ')}`)
    t.true(isGapless(timeline.map(({ number }) => number)))
  }
  t.is(askedFor(stage.sites.badTools.requests(), 'slow_once').times, 1)
  t.is((await deliver(api, thinker, {})).body.sequence, 3)
  t.false(worker.logs.some((line) => line.includes('unexpected error')))
})

// @promise refresh-crashes
test.serial('tokens that arrive while Postgres is away are stored when it is back', async (t) => {
  const { stage, worker } = await world()
  const { owner, refreshing, called } = await outage()
  const { contacts } = stage
  measured(t, `${await called} ms from the return of Postgres until a direct call was good`)
  t.is((await ended(owner.someone, refreshing, 40)).status, 'completed')
  t.is(refreshesAt(contacts).length, 1)
  t.deepEqual(await historyOf(owner), ['expiry refreshed'])
  t.is(await statusOf(owner), 'connected')
  t.is((await noticesOf(owner)).length, 0)
  const timeline = await timelineOf(owner.someone, refreshing)
  t.true(isGapless(timeline.map(({ number }) => number)))
  t.is(dataOf(timeline, 'credential.refreshed').length, 1)
  t.like(dataOf(timeline, 'tool.finished'), [{ status: 'succeeded', attempts: 1 }])
  t.false(worker.logs.some((line) => line.includes('unexpected error')))

  // What was stored is the grant that is good: it can be refreshed again.
  contacts.expireAccessTokens()
  t.is((await callDirectly(owner)).status, 200)
  t.deepEqual(
    refreshesAt(contacts).map(({ consumedBefore, status }) => ({ consumedBefore, status })),
    [
      { consumedBefore: false, status: 200 },
      { consumedBefore: false, status: 200 },
    ],
  )
})

const senders = 10
const perSender = 10
const all = senders * perSender

// @promise accepted
test.serial('a Postgres that is killed under a burst of deliveries has lost none that was accepted', async (t) => {
  const { postgres, stage, api } = await world()
  const { database } = stage.platform.services
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone)
  const accepted = new Map<string, { runId: string; sequence: number }>()
  const refused: string[] = []
  async function send(sender: number, number: number): Promise<void> {
    const key = `${sender}-${number}`
    const answer = await deliver(api, agent, { key }, { 'idempotency-key': key })
    if (answer.status === 202) accepted.set(key, answer.body)
    else refused.push(answer.failure.error)
  }
  const sendAll = () =>
    Array.from({ length: senders }, async (_, sender) => {
      for (let number = 0; number < perSender; number += 1) await send(sender, number)
    })
  const sending = sendAll()
  await eventually(10, 'the burst is under way', () => (accepted.size >= all / 3 ? true : undefined))
  await postgres.kill()
  await delay(500)
  await postgres.start()
  await Promise.all(sending)
  measured(t, `${accepted.size} accepted, ${refused.length} refused: ${[...new Set(refused)].join(' | ')}`)
  t.true(accepted.size < all)
  for (const sentence of refused) t.regex(sentence, /cannot reach its database/)

  // A sender without an answer asks again with the same key, as it should, and nothing is doubled.
  await Promise.all(sendAll())
  t.is(accepted.size, all)
  const { rows } = await database.raw<{ rows: { id: string; sequence: number; idempotency_key: string }[] }>(
    'select r.id, sequence, key as idempotency_key from runs r join idempotency_keys k on k.run_id = r.id where r.agent_id = ? order by sequence',
    [agent.id],
  )
  t.is(rows.length, all)
  t.true(isGapless(rows.map(({ sequence }) => sequence)))
  for (const row of rows) t.like(accepted.get(row.idempotency_key), { runId: row.id, sequence: row.sequence })
})
