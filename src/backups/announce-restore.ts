import type { closeCalls } from '../loop/close-calls.ts'
import { ChatAnswer } from '../chat/chat-answer.ts'
import type { Clock } from '../clock.ts'
import type { Transaction } from '../database/database.ts'
import { newId } from '../ids.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { canaryAgentId } from '../owners/system-owner.ts'
import { unfinishedStatuses } from '../runs/states.ts'
import type { closeDirectCalls } from '../tools/tools.ts'
import { tellOwners } from './tell-owners.ts'
import { Restore } from './restore.ts'

/**
 * Far more executions than a run ever gets. What Temporal and processes still know of the lost time names lower epochs,
 * so it can write nothing.
 */
const leap = 1_000_000

/** How a chat answer or a direct call ends that was under way at the time of the backup. */
const cutShort =
  'The platform was restored from a backup that was made while this was under way. It may have gone on after the backup: check at the sites what was done before you repeat it.'

interface Context {
  clock: Clock
  notifications: Pick<Notifications, 'notify'>
  /** What ends calls: of answers, and direct ones. */
  calls: { close: typeof closeCalls; closeDirect: typeof closeDirectCalls }
}

/**
 * Makes a restored database safe to work with, in one transaction, before any process sees it or while none runs. The
 * record has gone back in time, and the world has not: a call that the record shows as planned may have been made. So
 * everything unfinished stops until somebody decides.
 *
 * - Agents with unfinished runs are paused (`RESTORED`). Their runs wait, also before calls that were planned already.
 * - Their epochs leap, so no execution of the lost time can write.
 * - The lost time uses up no budget and no deadline, or runs would fail before anybody decides.
 * - Every open call that is not a read is in doubt: it may have been made in the lost time.
 * - Answers of chats and direct calls under way end, and a client's retry does not repeat them.
 * - Credits are no longer bought automatically: the purchases of the lost time are not on record.
 * - Times of schedules before now are not made up for.
 * - Owners are notified.
 *
 * Callbacks and mails that were pending are sent, with the same ids as before.
 */
export async function announceRestore(trx: Transaction, context: Context, asOf: Date): Promise<Restore> {
  const { clock, notifications, calls } = context
  const now = clock.now()
  const restore = { id: newId(), asOf, restoredAt: now }
  const gapMs = Math.max(0, now.getTime() - asOf.getTime())
  await trx.raw(leapQueuesStatement)
  const { rows: runs } = await trx.raw<{ rows: { agentId: string }[] }>(leapRunsStatement, {
    leap,
    gapMs,
    unfinishedStatuses,
  })
  await trx.raw(deadlinesStatement, { gapMs, now })
  await trx.raw(doubtStatement)
  // The canary's run may go on: it calls nobody.
  const agentIds = [...new Set(runs.map(({ agentId }) => agentId))].filter((id) => id !== canaryAgentId)
  await trx.raw(pauseStatement, { agentIds, now })
  await trx.raw(holdStatement, { agentIds })
  await trx.raw(schedulesStatement, { agentIds })
  await trx.raw(dueStatement, { agentIds, now })
  // Those of the time of the backup.
  await trx.raw('delete from processes')
  const buyers = await stopTopUps(trx)
  const answers = await endAnswers(trx, calls, now)
  await calls.closeDirect(trx, { result: cutShort, now, before: now, isLost: true })
  const made = await Restore.query(trx).insertAndFetch({ ...restore, agents: agentIds.length, runs: runs.length })
  await tellOwners(trx, notifications, { restore: made, answers, buyers })
  return made
}

/** Returns whose automatic purchases are off now. */
async function stopTopUps(trx: Transaction): Promise<Set<string>> {
  const { rows } = await trx.raw<{ rows: { ownerId: string }[] }>(topUpsStatement)
  return new Set(rows.map(({ ownerId }) => ownerId))
}

const topUpsStatement = `
  update accounts set top_up_enabled = false where top_up_enabled returning owner_id as "ownerId"`

/** Ends the answers that are under way or wait. Returns how many each owner had. */
async function endAnswers(trx: Transaction, { close }: Context['calls'], now: Date): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { id, sessionId, number, ownerId } of await ChatAnswer.query(trx).whereNull('endedAt').forUpdate()) {
    await close(trx, { kind: 'answer', id }, now)
    await trx('credit_holds').where({ subjectId: id }).delete()
    const failure = { status: 'failed' as const, errorCode: 'INTERNAL_ERROR' as const, errorMessage: cutShort }
    await ChatAnswer.query(trx)
      .findById([sessionId, number])
      .patch({ ...failure, endedAt: now, writer: null, writerUntil: null })
    counts.set(ownerId, (counts.get(ownerId) ?? 0) + 1)
  }
  return counts
}

/** The execution that claimed a run is of the lost time; another one may claim it. */
const leapQueuesStatement = `
  update agent_queues q set claimed_epoch = coalesce(q.claimed_epoch, r.epoch)
    from runs r where r.id = q.running_run_id`

/** The lost time is booked as a wait that does not count. */
const leapRunsStatement = `
  with gap as (select :gapMs::bigint as ms, :gapMs * interval '1 millisecond' as time)
  update runs
     set epoch = epoch + :leap,
         waited_ms = waited_ms + case when started_at is null then 0 else gap.ms end,
         outage_ms = outage_ms + case when started_at is null then 0 else gap.ms end,
         progressed_at = progressed_at + case when started_at is null then interval '0' else gap.time end,
         waiting_since = waiting_since + gap.time, waiting_until = waiting_until + gap.time,
         model_failing_since = model_failing_since + gap.time
    from gap where status = any(:unfinishedStatuses) returning agent_id as "agentId"`

/** A model that was out is judged anew. */
const deadlinesStatement = `
  with gap as (select :gapMs * interval '1 millisecond' as time), outages as (
    update model_outages set ended_at = :now where ended_at is null
  ), postponed as (
    update approvals set expires_at = expires_at + gap.time from gap where status = 'pending'
  )
  update callbacks set give_up_at = give_up_at + gap.time from gap where status = 'pending'`

const doubtStatement = `
  update tool_calls set in_doubt = true
   where status in ('planned', 'started') and effect <> 'read' and not in_doubt`

/**
 * A pause that began with the excess over the tier's limit would end with it. It becomes a pause of its own. An owner
 * who has paused an agent decides already.
 */
const pauseStatement = `
  update agents
     set paused_reason = 'RESTORED',
         paused_at = case when paused_at is null then :now else paused_at + interval '1 millisecond' end
   where id = any(:agentIds::uuid[]) and (paused_at is null or paused_at = exceeding_since)`

/** Runs that wait for a payment would otherwise fail while their agent waits for a decision. */
const holdStatement = `
  update agent_queues q set blocked_cause = 'paused', blocked_since = a.paused_at
    from agents a
   where a.id = q.agent_id and a.id = any(:agentIds::uuid[]) and q.blocked_cause is not null and a.paused_at is not null`

/** Temporal learns of the pauses, and every schedule is compared with what it has. */
const schedulesStatement = `
  update schedules s
     set checked_at = null, generation = generation + case when agent_id = any(:agentIds::uuid[]) then 1 else 0 end`

const dueStatement = `
  insert into due_agents (agent_id, due_at) select id, :now from unnest(:agentIds::uuid[]) as t (id)`
