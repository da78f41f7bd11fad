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
import { connectBadTools, customer, deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { askedFor, courseOf, isGapless, measured, untilAsked, untilEvent } from './record.ts'
import { openStage } from './stage.ts'

test('while Postgres is stopped every route says so in time, and when it is back everything works again by itself', async (t) => {
  const postgres = await startOwnPostgres(t)
  const env = { DATABASE_URL: postgres.url, RATE_LIMIT_STORE: 'postgres' }
  const stage = await openStage(t, { sites: true, env })
  const [api, worker] = await Promise.all([stage.startApi(), stage.startWorker()])
  const someone = { ...(await customer(stage.platform)), url: api.url }
  const vaultEntryId = await connectBadTools(someone, stage.sites)
  const thinker = await webhookAgent(someone, { systemPrompt: '[[sleep 2]]' })
  const systemPrompt = '[[call slow_once {"seconds":3}]][[call slow_read {"seconds":3}]]'
  const caller = await webhookAgent(someone, { systemPrompt, sites: [{ vaultEntryId }] })
  const thinking = (await deliver(api, thinker, {})).body.runId
  const waiting = (await deliver(api, thinker, {})).body.runId
  const calling = (await deliver(api, caller, {})).body.runId
  await untilEvent(someone, thinking, 'step.started')
  await untilAsked(stage.sites.badTools.requests, 'slow_once')
  await untilAsked(stage.sites.badTools.requests, 'slow_read')
  await postgres.stop()
  const stopped = Date.now()

  const asked = [
    () => deliver(api, thinker, {}),
    () => call({ url: api.url }, auth.login, { body: { email: someone.email, password: someone.password } }),
    () => call(someone, auth.me),
    () => call(someone, agents.listAgents),
    () => call(someone, agents.createAgent, { body: { name: 'One', systemPrompt: 'Report.', trigger: 'manual' } }),
    () => call(someone, runs.getRun, { params: { runId: thinking } }),
    () => call(someone, runs.cancelRun, { params: { runId: thinking } }),
    () => call(someone, vault.listVault),
    () => call({ url: api.url }, health.readyz),
  ]
  const answers = await Promise.all(
    asked.map(async (ask) => {
      const began = Date.now()
      return { answer: await ask(), took: Date.now() - began }
    }),
  )
  measured(t, `answers while Postgres is stopped took ${answers.map(({ took }) => took).join(', ')} ms`)
  for (const { answer, took } of answers) {
    t.is(answer.status, 500)
    t.is(answer.failure.code, 'INTERNAL_ERROR')
    t.regex(answer.failure.error, /cannot reach its database/)
    t.regex(answer.headers.get('retry-after') ?? '', /^\d+$/)
    t.true(took < 8000)
  }
  t.is((await call({ url: api.url }, health.healthz)).status, 200)
  // Long enough for every activity in flight to have failed at least once.
  await delay(Math.max(0, 12_000 - (Date.now() - stopped)))

  await postgres.start()
  const back = Date.now()
  await eventually(10, 'the API is ready again', async () =>
    (await call({ url: api.url }, health.readyz)).status === 200 ? true : undefined,
  )
  measured(t, `${Date.now() - back} ms until the API is ready again`)
  for (const runId of [thinking, waiting, calling]) {
    t.is((await ended(someone, runId, 60)).status, 'completed')
    measured(t, `${Date.now() - back} ms until the run had ended`)
    const timeline = await timelineOf(someone, runId)
    measured(t, courseOf(timeline).join(', '))
    t.true(isGapless(timeline.map(({ number }) => number)))
  }
  t.is(askedFor(stage.sites.badTools.requests(), 'slow_once').times, 1)
  t.is((await deliver(api, thinker, {})).body.sequence, 3)
  for (const line of worker.logs.filter((one) => one.includes('nobody foresaw'))) measured(t, line)
  t.false(worker.logs.some((line) => line.includes('nobody foresaw')))
  for (const line of api.logs.filter((one) => /"level":(60|"fatal")/.test(one))) measured(t, line)
  t.is(await worker.stop(), 0)
  t.is(await api.stop(), 0)
})

test('a Postgres that is killed under a burst of deliveries has lost none that was accepted', async (t) => {
  const postgres = await startOwnPostgres(t)
  const stage = await openStage(t, { env: { DATABASE_URL: postgres.url } })
  const { database } = stage.platform.services
  // The servers of tests give up durability for speed; here it is the subject.
  await database.raw('alter database switchyard set synchronous_commit = on')
  const [api] = await Promise.all([stage.startApi(), stage.startWorker()])
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
  const sending = Array.from({ length: 10 }, async (_, sender) => {
    for (let number = 0; number < 15; number += 1) await send(sender, number)
  })
  await eventually(10, 'the burst is under way', () => (accepted.size >= 50 ? true : undefined))
  await postgres.kill()
  await delay(500)
  await postgres.start()
  await Promise.all(sending)
  measured(t, `${accepted.size} accepted, ${refused.length} refused: ${[...new Set(refused)].join(' | ')}`)
  t.true(accepted.size < 150)
  for (const sentence of refused) t.regex(sentence, /cannot reach its database/)

  // A sender without an answer asks again with the same key, as it should, and nothing is doubled.
  for (let sender = 0; sender < 10; sender += 1) {
    for (let number = 0; number < 15; number += 1) await send(sender, number)
  }
  t.is(accepted.size, 150)
  const { rows } = await database.raw<{ rows: { id: string; sequence: number; idempotency_key: string }[] }>(
    'select id, sequence, idempotency_key from runs where agent_id = ? order by sequence',
    [agent.id],
  )
  t.is(rows.length, 150)
  t.true(isGapless(rows.map(({ sequence }) => sequence)))
  for (const row of rows) t.like(accepted.get(row.idempotency_key), { runId: row.id, sequence: row.sequence })
})
