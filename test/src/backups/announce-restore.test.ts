// @promise once
import test, { type ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import * as notifications from '../../../api/notifications.ts'
import { restoresOf } from '../../../bin/admin/restores-of.ts'
import { databaseClock as clock, later } from '../../../src/clock.ts'
import { newId } from '../../../src/ids.ts'
import { lockWorkedRun } from '../../../src/runs/lock-worked-run.ts'
import { lockRun } from '../../../src/runs/record.ts'
import { call } from '../../helpers/client.ts'
import { agentOf, customer, deliver, webhookAgent } from '../../helpers/people.ts'
import { startPlatform, type Platform } from '../../helpers/platform.ts'
import { scheduledAgent } from '../../helpers/schedules.ts'
import { userIdOf } from '../../helpers/workspaces.ts'

const announce = ({ services, config }: Platform, asOf = later(clock.now(), -600)) =>
  services.database.transaction((trx) => restoresOf(trx, config).announce(trx, asOf))

const agentIn = async ({ services: { database } }: Platform, { id }: { id: string }) =>
  (await database('agents').where({ id }).first('pausedAt', 'pausedReason', 'exceedingSince')) as {
    pausedAt: Date | null
    pausedReason: string | null
    exceedingSince: Date | null
  }

async function stage(t: ExecutionContext) {
  const platform = await startPlatform(t)
  const someone = await customer(platform)
  const queued = async () => {
    const agent = await webhookAgent(someone)
    await deliver(someone, agent, {})
    return agent
  }
  return { platform, someone, queued, database: platform.services.database }
}

test('a restore pauses the agents with unfinished runs, fences off what executed them, and tells their owner', async (t) => {
  const { platform, someone, queued, database } = await stage(t)
  const [waiting, own, suspended, idle] = [await queued(), await queued(), await queued(), await agentOf(someone)]
  await call(someone, agents.pauseAgent, { params: { agentId: own.id } })
  const exceedingSince = later(clock.now(), -60)
  await database('agents').where({ id: suspended.id }).update({ exceedingSince, pausedAt: exceedingSince })
  const claimed = await platform.services.runs.queue.claimNext(waiting.id, 'an execution')
  t.truthy(claimed)
  const restore = await announce(platform)
  t.like(restore, { agents: 3, runs: 3 })
  const shown = (await call(someone, agents.getAgent, { params: { agentId: waiting.id } })).body
  t.is(shown.pausedReason, 'RESTORED')
  t.like(await agentIn(platform, own), { pausedReason: null }, 'its owner decides already')
  t.true((await agentIn(platform, own)).pausedAt !== null)
  t.is((await agentIn(platform, idle)).pausedAt, null)

  // Nothing of the lost time can write or claim, and another execution may claim.
  const ref = { runId: claimed!.runId, epoch: claimed!.epoch }
  await t.throwsAsync(
    database.transaction((trx) => lockRun(trx, ref)),
    { name: 'StaleEpochError' },
  )
  t.is(await platform.services.runs.queue.claimNext(waiting.id, 'an execution'), null)
  t.true((await platform.services.runs.queue.claimNext(waiting.id, 'another execution'))!.epoch > 1_000_000)

  // The end of a suspension is not a decision about the restore.
  const { id, pausedAt } = { ...suspended, ...(await agentIn(platform, suspended)) }
  t.not(pausedAt?.getTime(), exceedingSince.getTime())
  t.is((await agentIn(platform, suspended)).pausedReason, 'RESTORED')

  const { items } = (await call(someone, notifications.listNotifications, { query: { kind: 'restored' } })).body
  t.is(items.length, 1)
  t.regex(items[0]!.message, /3 agents|unfinished run/)
  t.is(await restoresOf(database, platform.config).resumeAll(), 1)
  t.like(await agentIn(platform, waiting), { pausedAt: null, pausedReason: null })
  t.deepEqual((await agentIn(platform, { id })).pausedAt, exceedingSince, 'it stays suspended')
  t.true((await agentIn(platform, own)).pausedAt !== null)
  t.is(await restoresOf(database, platform.config).resumeAll(), 0)
})

test('the time that a restore has lost is taken off the work of a run once', async (t) => {
  const { platform, queued, database } = await stage(t)
  const agent = await queued()
  const claimed = await platform.services.runs.queue.claimNext(agent.id, 'an execution')
  const asOf = later(clock.now(), -3600)
  const times = { startedAt: asOf, progressedAt: asOf }
  await database('runs').where({ id: claimed!.runId }).update(times)
  await announce(platform, asOf)
  const ref = await platform.services.runs.queue.claimNext(agent.id, 'another execution')
  const run = await database.transaction((trx) => lockWorkedRun(trx, ref!, { clock, config: platform.config }))
  t.true(run.outageMs >= 3_600_000 && run.outageMs < 7_200_000, `${run.outageMs} ms`)
})

test('a pause by the owner of an agent that waits since a restore is not ended for all', async (t) => {
  const { platform, someone, queued, database } = await stage(t)
  const agent = await queued()
  await announce(platform)
  const paused = (await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })).body
  t.is(paused.pausedReason, null)
  t.is(await restoresOf(database, platform.config).resumeAll(), 0)
  t.true((await agentIn(platform, agent)).pausedAt !== null)
})

test('a scheduled time before a restore is not made up for, and one after it runs', async (t) => {
  const { platform, someone, database } = await stage(t)
  const agent = await scheduledAgent(someone, { cron: '* * * * *' })
  const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000)
  await database('schedules')
    .where({ agentId: agent.id })
    .update({ recordedUntil: later(minute, -600) })
  await announce(platform, later(minute, -300))
  const fire = (nominalAt: Date) =>
    platform.services.fires.recordFire({ agentId: agent.id, generation: 1, nominalAt, requestId: newId() })
  t.is(await fire(minute), 'missed')
  const row: unknown = await database('schedule_fires').where({ agentId: agent.id }).first('outcome', 'reason', 'runId')
  t.like(row, { outcome: 'missed', reason: 'RESTORED', runId: null })
  t.is(
    await database('runs')
      .where({ agentId: agent.id })
      .then(({ length }) => length),
    0,
  )
  await database('restores').update({ restoredAt: later(minute, -120) })
  t.is(await fire(later(minute, -60)), 'ran')
})

test('answers of chats and direct calls under way at the backup end, and a call that may have been made is in doubt', async (t) => {
  const { platform, someone, database } = await stage(t)
  const ownerId = await userIdOf(someone)
  const times = { plannedAt: new Date(), startedAt: later(new Date(), -5) }
  const about = { vaultEntryId: newId(), siteOrigin: '', tool: 'act', arguments: '{}' }
  const direct = newId()
  await database('direct_tool_calls').insert({
    id: direct,
    ownerId,
    idempotencyKey: 'key',
    status: 'started',
    attempts: 1,
    effect: 'once',
    ...times,
    ...about,
  })
  const refusedOnce = newId()
  await database('direct_tool_calls').insert({
    id: refusedOnce,
    ownerId,
    idempotencyKey: 'another key',
    status: 'started',
    attempts: 1,
    refusedAttempts: 1,
    effect: 'once',
    ...times,
    ...about,
  })
  const [sessionId, answer] = await answering(platform, ownerId)
  const open = { ...about, step: 1, effect: 'once', name: 'act', subjectId: answer, plannedAt: new Date() }
  await database('tool_calls').insert([
    { ...open, id: newId(), position: 0, status: 'planned' },
    { ...open, id: newId(), position: 1, status: 'started', attempts: 1, startedAt: new Date() },
  ])
  await announce(platform)
  t.like(await database('direct_tool_calls').where({ id: direct }).first(), {
    status: 'unknown',
    idempotencyKey: 'key',
  })
  const ended: unknown = await database('chat_answers').where({ sessionId }).first()
  t.like(ended, { status: 'failed', errorCode: 'INTERNAL_ERROR', writer: null })
  t.regex((ended as { errorMessage: string }).errorMessage, /restored from a backup/)
  const calls = await database('tool_calls').where({ subjectId: answer }).orderBy('position').pluck('status')
  t.deepEqual(calls, ['unknown', 'unknown'], 'also what was only planned')
  const refused: unknown = await database('direct_tool_calls').where({ id: refusedOnce }).first()
  t.like(refused, { status: 'unknown', idempotencyKey: 'another key' }, 'another attempt may have followed')
})

/** An answer that a process was writing. */
async function answering({ services: { database } }: Platform, ownerId: string) {
  const [sessionId, id] = [newId(), newId()]
  const now = new Date()
  await database('sessions').insert({
    id: sessionId,
    ownerId,
    createdAt: now,
    usedAt: now,
    expiresAt: later(now, 3600),
    lastNumber: 2,
    tokenHash: sessionId,
    onDisconnect: 'continue',
  })
  await database('chat_answers').insert({
    sessionId,
    number: 2,
    id,
    ownerId,
    messageId: newId(),
    createdAt: now,
    startedAt: now,
    writer: newId(),
    writerUntil: later(now, 60),
    status: 'running',
    onDisconnect: 'continue',
    model: 'demo',
  })
  return [sessionId, id] as const
}
