import { Agent } from '../agents/agent.ts'
import { Approval } from '../approvals/approval.ts'
import type { Billing } from '../billing/billing.ts'
import { agentAccountStatus, timeOf } from '../billing/account-status.ts'
import type { Clock } from '../clock.ts'
import type { Transaction } from '../database/database.ts'
import type { Config } from '../config/config.ts'
import { isOpen, Outage } from '../outages/outage.ts'
import { agentCreditsLeft, boundsOf } from '../owners/workspace-months.ts'
import { chargesOf } from '../runs/queue/blocked.ts'
import { Run } from '../runs/run.ts'
import type { Reconciler } from '../runs/reconcile/reconciler.ts'
import { hasEnded, unfinishedStatuses } from '../runs/states.ts'
import { outageTimeLeft, waitingTimeLeft } from '../runs/time-left.ts'
import { nextFireOf } from '../schedules/next-fire.ts'
import { Schedule } from '../schedules/schedule.ts'
import type { Silence } from '../silence/silence.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { limitedHost } from '../tools/limited-host.ts'
import { OutgoingHost } from '../tools/outgoing-host.ts'
import { VaultEntry } from '../vault/vault-entry.ts'
import type { Facts, HeadRun, OpenCall } from './facts.ts'

/** The facts in the record. */
type RecordedFacts = Omit<Facts, 'temporal' | 'workers' | 'settings'>

/** What reading needs besides the record. */
export interface Knowledge {
  clock: Clock
  config: Pick<Config, 'budgets' | 'sites'>
  reconciler: Pick<Reconciler, 'viewOf'>
  billing: Pick<Billing, 'credits'>
  silence: Pick<Silence, 'of'>
}

/** A call's columns without its arguments and result. */
const callColumns = [
  'id',
  'name',
  'tool',
  'step',
  'siteOrigin',
  'vaultEntryId',
  'status',
  'attempts',
  'plannedAt',
  'startedAt',
  'waitCause',
  'notBefore',
  'job',
] as const satisfies (keyof ToolCall)[]

/**
 * Reads the record of an agent and, if given, one of its runs. The transaction should be repeatable read, or the parts
 * of the answer may contradict each other.
 */
export async function readFacts(
  trx: Transaction,
  knowledge: Knowledge,
  { agentId, runId }: { agentId: string; runId?: string },
): Promise<RecordedFacts> {
  const present = await Agent.query(trx)
    .findById(agentId)
    .select('agents.*', agentCreditsLeft(knowledge.clock.now()))
    .throwIfNotFound()
  const { ownerId } = present
  const account = await knowledge.billing.credits.find(ownerId, trx)
  if (!account) throw new Error('an owner with agents has no account')
  const now = knowledge.clock.now()
  const bounds = await boundsOf(trx, ownerId, timeOf(account, now))
  const standing = agentAccountStatus(knowledge.billing.credits.standing(account, { ownerId, ...bounds }), present)
  const { facts, action } = await knowledge.reconciler.viewOf(trx, agentId, standing, now)
  const { queue, head, next } = facts
  const asked = runId === undefined ? null : await readAsked(trx, runId)
  const agent = asked && asked.run.ownerId !== ownerId ? goneFor(present) : present
  const trigger = (asked && hasEnded(asked.run.status) ? asked.run : next)?.trigger ?? agent.trigger
  return {
    now,
    agent,
    queue,
    hasCredits: standing.balance >= 1,
    cap: standing.cap,
    isSuspended: standing.isSuspended,
    charges: chargesOf(standing, trigger),
    head: head && (await readHead(trx, knowledge, head, now)),
    next,
    queued: queue.unfinished - (queue.runningRunId === null ? 0 : 1),
    asked,
    action,
    silentSince: (await knowledge.silence.of([agentId], trx)).get(agentId) ?? null,
    schedule: agent.trigger === 'scheduled' ? await readSchedule(trx, agent, nextFireOf(agent, now)) : null,
  }
}

/** The agent as its previous owner sees it: only the ended run is theirs. */
const goneFor = (agent: Agent): Agent =>
  Object.assign(agent.$clone(), { name: 'an agent that was moved', deletedAt: agent.movedAt })

async function readAsked(trx: Transaction, runId: string): Promise<{ run: Run; ahead: number }> {
  const run = await Run.query(trx).findById(runId).throwIfNotFound()
  if (run.status !== 'queued') return { run, ahead: 0 }
  const ahead = await Run.query(trx)
    .where({ agentId: run.agentId })
    .whereIn('status', unfinishedStatuses)
    .where('sequence', '<', run.sequence)
    .resultSize()
  return { run, ahead }
}

async function readHead(trx: Transaction, knowledge: Knowledge, run: Run, now: Date): Promise<HeadRun> {
  const { budgets, sites } = knowledge.config
  const mayWaitUntil = new Date(now.getTime() + waitingTimeLeft(run, budgets, now))
  const outage = await readOutage(trx, run)
  const failingSince = run.waitingCause === 'model' ? (outage?.beganAt ?? run.modelFailingSince) : null
  const mayWaitForModelUntil = failingSince && new Date(now.getTime() + outageTimeLeft(run, failingSince, budgets, now))
  const calls = await readOpenCalls(trx, run, sites)
  return { run, ...attemptsOf(run), outage, calls, mayWaitUntil, mayWaitForModelUntil }
}

/** The outage of the model that the run waits for. */
const readOutage = async (trx: Transaction, { waitingCause, waitingFor: model }: Run): Promise<Outage | null> =>
  waitingCause === 'model' && model !== null ? ((await Outage.query(trx).findOne({ model, ...isOpen })) ?? null) : null

/** The attempts at the next step. */
function attemptsOf(run: Run): Pick<HeadRun, 'attempt' | 'failure'> {
  const { attempt: number, attemptedAt: at, failedAttempt, failure: message, failedAt, retryAt } = run
  return {
    attempt: at && { number, at, failed: failedAttempt === number },
    failure: failedAt && { message: message ?? '', at: failedAt, retryAt },
  }
}

async function readOpenCalls(trx: Transaction, { id: runId }: Run, sites: Config['sites']): Promise<OpenCall[]> {
  const calls = await ToolCall.query(trx)
    .where({ subjectId: runId })
    .whereIn('status', ['planned', 'started'])
    .select(...callColumns)
    .orderBy(['step', 'position'])
  if (calls.length === 0) return []
  const ids = [...new Set(calls.flatMap(({ vaultEntryId }) => vaultEntryId ?? []))]
  const entries = new Map((await VaultEntry.query(trx).findByIds(ids)).map((entry) => [entry.id, entry]))
  const hostOf = ({ manifest }: VaultEntry): string => limitedHost(manifest.server.url, sites)
  const hosts = await OutgoingHost.query(trx).findByIds([...new Set([...entries.values()].map(hostOf))])
  const approvals = await readPending(trx, calls)
  return calls.map((call) => {
    const approval = approvals.find(({ callId }) => callId === call.id) ?? null
    const entry = entries.get(call.vaultEntryId ?? '') ?? null
    const host = entry && hosts.find(({ host }) => host === hostOf(entry))
    return Object.assign(call, {
      entry,
      approval,
      heldUntil: host?.heldUntil ?? null,
      callsPerMinute: host?.callsPerMinute,
    })
  })
}

const readPending = async (trx: Transaction, calls: Pick<ToolCall, 'id'>[]): Promise<Approval[]> =>
  Approval.query(trx)
    .whereIn(
      'callId',
      calls.map(({ id }) => id),
    )
    .where({ status: 'pending' })
    .select('id', 'callId', 'requestedAt', 'expiresAt', 'formNumber')

/** A schedule without a row was never synced. */
async function readSchedule(trx: Transaction, { id }: Agent, fire: Date | null): Promise<Facts['schedule']> {
  const row = await Schedule.query(trx).findById(id)
  return { inSync: row !== undefined && row.syncedGeneration >= row.generation, nextFire: fire }
}
