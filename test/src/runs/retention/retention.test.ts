import test from 'ava'
import * as agents from '../../../../api/agents.ts'
import * as agentRuns from '../../../../api/agent-runs.ts'
import * as auth from '../../../../api/auth.ts'
import * as billing from '../../../../api/billing.ts'
import * as runs from '../../../../api/runs.ts'
import * as runEvents from '../../../../api/run-events.ts'
import * as vault from '../../../../api/vault.ts'
import type { Database } from '../../../../src/database/database.ts'
import { createServices } from '../../../../src/services.ts'
import { pendingApproval } from '../../../helpers/approvals.ts'
import { call } from '../../../helpers/client.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { hold, untilBlocked } from '../../../helpers/hold.ts'
import { agentOf, customer, deliver, ended, person, runOf, timelineOf, webhookAgent } from '../../../helpers/people.ts'
import { startPlatform, type Platform } from '../../../helpers/platform.ts'
import { cancel, openStage, runsOf, scriptsOn, start } from '../../../helpers/runs.ts'
import { watch } from '../../../helpers/watch.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'
import { nobody } from '../../callbacks/open-callbacks.ts'

/** Without a worker. A purge is for all runs, so the tests on it come one by one. */
const idle = forWholeFile(test, 'retention', (t) => startPlatform(t, { env: { SITE_ALLOW: new URL(nobody).host } }))
const stage = forWholeFile(test, 'retention of what was carried out', (t) => openStage(t))

const day = 86_400_000

/** Makes a run or a direct call one that ended so many days ago. */
const age = (database: Database, table: 'runs' | 'direct_tool_calls', id: string, days: number) =>
  database(table)
    .where({ id })
    .update({ endedAt: new Date(Date.now() - days * day) })

const purge = ({ services }: Platform) => services.retention.purge(new AbortController().signal)

/** What the log says from now on of rounds that purged something. */
function purgings({ logs }: Platform) {
  const before = logs.length
  return () =>
    logs
      .slice(before)
      .map((line) => JSON.parse(line) as { runs?: number; directCalls?: number })
      .flatMap(({ runs: count, directCalls }) =>
        count === undefined || directCalls === undefined ? [] : [{ runs: count, directCalls }],
      )
}

/** Somebody with an agent on the platform without a worker, and a way to have runs that ended, as cancelled. */
async function open() {
  const platform = await idle()
  const someone = await person(platform)
  const agent = await agentOf(someone, { callbackUrl: nobody })
  const { database } = platform.services
  const begin = async (key?: string) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
    return (await call(someone, agentRuns.startRun, { params: { agentId: agent.id }, headers })).body
  }
  /** One whose callback was delivered, so many days ago. */
  async function endedRun(days: number, key?: string): Promise<string> {
    const { id } = await begin(key)
    await cancel(someone, id).then(({ body }) => body)
    await database('callbacks').where({ runId: id }).update({ status: 'delivered', nextAt: null, endedAt: new Date() })
    await age(database, 'runs', id, days)
    return id
  }
  return { platform, someone, agent, database, begin, endedRun }
}

/** How many rows each table has of a run. */
async function rowsOf(database: Database, runId: string): Promise<Record<string, number>> {
  const { rows } = await database.raw<{ rows: [Record<string, number>] }>(
    `select (select count(*)::int from runs where id = :runId) as runs,
            (select count(*)::int from run_inputs where run_id = :runId) as inputs,
            (select count(*)::int from steps where subject_id = :runId) as steps,
            (select count(*)::int from tool_calls where subject_id = :runId) as calls,
            (select count(*)::int from run_events where run_id = :runId) as events,
            (select count(*)::int from approvals where run_id = :runId) as approvals,
            (select count(*)::int from callbacks where run_id = :runId) as callbacks,
            (select count(*)::int from callback_attempts a join callbacks c on c.id = a.callback_id
              where c.run_id = :runId) as attempts`,
    { runId },
  )
  return rows[0]
}

// @promise retention
test('what ended longer ago than it is kept goes with everything of it, and what is younger or not over stays', async (t) => {
  const { platform, someone, sites, vaultEntryId } = await scriptsOn(await stage())
  const { database } = platform.services
  const systemPrompt = '[[call echo_text {"text":"a"}]]'
  // The site knows no such address, so that its owner's callbacks are tried, and stay pending.
  const callbackUrl = `${sites.badTools.origin}/endings`
  const agent = await agentOf(someone, { systemPrompt, sites: [{ vaultEntryId }], callbackUrl })
  const paused = await agentOf(someone)
  await call(someone, agents.pauseAgent, { params: { agentId: paused.id } })
  const queued = (await start(someone, paused)).body.id
  await database('runs')
    .where({ id: queued })
    .update({ acceptedAt: new Date(0), progressedAt: new Date(0) })
  const old = (await ended(someone, (await start(someone, agent)).body.id)).id
  const young = (await ended(someone, (await start(someone, agent)).body.id)).id
  await age(database, 'runs', old, 91)
  await age(database, 'runs', young, 89)
  const body = { text: 'a' }
  const direct = () => call(someone, vault.callTool, { params: { entryId: vaultEntryId, toolName: 'echo_text' }, body })
  const [oldCall = '', youngCall = '', openCall = ''] = await Promise.all(
    [1, 2, 3].map(async () => (await direct()).body.callId),
  )
  await age(database, 'direct_tool_calls', oldCall, 91)
  await age(database, 'direct_tool_calls', youngCall, 89)
  await database('direct_tool_calls').where({ id: openCall }).update({ status: 'started', endedAt: null })
  await eventually(20, 'a callback is tried', async () => (await rowsOf(database, old))['attempts'] || undefined)

  const { id: ownerId } = (await call(someone, auth.me)).body
  for (const runId of [old, young]) await pendingApproval(platform, { ownerId, runId, agentId: agent.id })

  const before = { steps: 2, calls: 1, callbacks: 1, approvals: 1 }
  t.like(await rowsOf(database, old), { runs: 1, ...before })
  const purged = purgings(platform)
  await purge(platform)
  t.like(await rowsOf(database, old), { runs: 1, ...before }, 'its callback is pending')
  const calls = await database('direct_tool_calls').pluck<string[]>('id')
  t.deepEqual(calls.toSorted(), [youngCall, openCall].toSorted())

  await database('callbacks').where({ runId: old }).update({ status: 'failed', nextAt: null, endedAt: new Date() })
  await purge(platform)
  // Its timeline goes with those of its week, in the test of timelines.
  t.like(await rowsOf(database, old), { runs: 0, steps: 2, callbacks: 0, attempts: 0, approvals: 0 })
  t.is((await database('callback_attempts').whereNotIn('callbackId', database('callbacks').select('id'))).length, 0)
  t.like(await rowsOf(database, young), { runs: 1, ...before })
  t.is((await timelineOf(someone, young)).length, (await runOf(someone, young)).events)
  t.is((await runOf(someone, queued)).status, 'queued')
  const ledger = (await call(someone, billing.listLedger)).body.items
  t.true(ledger.some(({ runId }) => runId === old))
  await purge(platform)
  t.deepEqual(purged(), [
    { runs: 0, directCalls: 1 },
    { runs: 1, directCalls: 0 },
  ])
})

// @promise repeats
test.serial('after a purge numbers and pages go on, and an idempotency key is free again', async (t) => {
  const { platform, someone, agent, begin, endedRun } = await open()
  const first = await endedRun(1)
  const second = await endedRun(91, 'once')
  t.is((await begin('once')).id, second)
  const third = (await call(someone, runs.replayRun, { params: { runId: second } })).body.id
  await cancel(someone, third)
  const page = async (cursor?: string) => {
    const query = { limit: '2', ...(cursor !== undefined && { cursor }) }
    return (await call(someone, agentRuns.listAgentRuns, { params: { agentId: agent.id }, query })).body
  }
  const before = await page()
  t.deepEqual(
    before.items.map(({ id }) => id),
    [third, second],
  )

  await purge(platform)
  const rest = await page(before.nextCursor ?? '')
  t.deepEqual([rest.items.map(({ id }) => id), rest.nextCursor], [[first], null])
  t.is((await runOf(someone, third)).replayOf, second)
  for (const route of [runs.getRun, runEvents.listEvents, runs.cancelRun, runs.replayRun]) {
    const { failure } = await call(someone, route as typeof runs.getRun, { params: { runId: second } })
    t.is(failure.code, 'RUN_NOT_FOUND', route.name)
  }
  const again = await begin('once')
  t.like(again, { sequence: 4, status: 'queued' })
  t.not(again.id, second)
})

test.serial('processes that purge at once share the work, and wait for nobody who holds a run', async (t) => {
  const { platform, someone, agent, database, endedRun } = await open()
  const held = await endedRun(91)
  await database.raw(
    `insert into runs (id, agent_id, owner_id, sequence, trigger, status, request_id, accepted_at, progressed_at, ended_at)
     select uuidv7(), agent_id, owner_id, sequence + number, trigger, status, request_id, accepted_at, progressed_at,
            ended_at
       from runs, generate_series(1, 1200) number where id = ?`,
    [held],
  )
  const letGo = await hold(database, (trx) => trx.raw('select from runs where id = ? for update', [held]))
  const other = createServices(platform.config, platform.services.logger)
  t.teardown(() => other.close())
  const purged = purgings(platform)
  await Promise.all([purge(platform), other.retention.purge(new AbortController().signal)])
  t.deepEqual(
    (await runsOf(someone, agent)).map(({ id }) => id),
    [held],
  )
  t.is(
    purged().reduce((sum, { runs: count }) => sum + count, 0),
    1200,
  )
  await letGo()
  await platform.services.retention.purge(AbortSignal.abort())
  t.is((await runOf(someone, held)).id, held, 'a process that is to stop begins no further batch')
  await purge(platform)
  t.deepEqual(await runsOf(someone, agent), [])
})

test.serial('a run whose callback is asked for again while it is being purged stays', async (t) => {
  const { platform, someone, database, endedRun } = await open()
  const old = await endedRun(91)
  const asking = await database.transaction()
  await asking('callbacks').where({ runId: old }).update({ status: 'pending', nextAt: new Date(), endedAt: null })
  const purged = purgings(platform)
  const purging = purge(platform)
  await untilBlocked(database)
  await asking.commit()
  await purging
  t.is((await runOf(someone, old)).id, old)
  t.deepEqual(purged(), [])
})

test.serial('who watches a run that is deleted meanwhile is not kept waiting', async (t) => {
  const { someone, begin, database } = await open()
  const { id } = await begin()
  const stream = await watch(someone, id)
  await eventually(20, 'it is watched', () => stream.events.length > 0 || undefined)
  await database('runs').where({ id }).delete()
  t.is(await stream.ended, 'ended')
})

test.serial('a delivery whose payload is purged while it is replayed is not replayed without it', async (t) => {
  const platform = await idle()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone)
  const { runId } = (await deliver(platform, agent, { number: 1 })).body
  await cancel(someone, runId)
  await platform.services.database('run_inputs').where({ runId }).delete()
  const { failure } = await call(someone, runs.replayRun, { params: { runId } })
  t.is(failure.code, 'RUN_NOT_FOUND')
  t.is((await runsOf(someone, agent)).length, 1)
})
