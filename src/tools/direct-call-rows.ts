import { later, type Clock } from '../clock.ts'
import { retryWhileUnavailable, violatedConstraint, type Database } from '../database/database.ts'
import { newId } from '../ids.ts'
import type { CallLedger } from '../loop/perform-call.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { VaultEntry } from '../vault/vault-entry.ts'
import type { CallOutcome } from './call-outcome.ts'
import { callError, freesKey, unrecorded } from './direct-call.ts'
import { heard, inDoubt, mostWorkSeconds, unheard, type Job } from './job.ts'
import { sendingOf } from './sending.ts'
import { DirectToolCall, recordedResult, statusAfter } from './tool-call.ts'
import { reasonOf } from './unsent-reason.ts'

/** A direct call is sent once more if the site answers 401 and a newer credential exists. */
const maxRefused = 1

/** Keeps the rows of direct calls. */
export function createDirectCallRows({
  database,
  clock,
  metrics,
}: {
  database: Database
  clock: Clock
  metrics: Pick<Metrics, 'toolCalls'>
}) {
  /**
   * The ledger of a call. The first attempt inserts the row. Each attempt starts in a transaction, so nothing is sent for
   * a caller who lost the permission.
   */
  function ledgerOf(call: DirectCall, secrets: readonly string[]): CallLedger<DirectCall> {
    const { ownerId } = call
    const sending = {
      ownerId,
      idempotencyKey: `direct:${call.id}`,
      share: `${ownerId}/direct`,
      mayWait: false,
      secrets,
    }
    return {
      maxRefused,
      look: async () => ({ call, sending: sendingOf(call, sending) }),
      async begin() {
        const now = clock.now()
        const begun = { status: 'started' as const, attempts: call.attempts + 1 }
        const isNew = call.attempts === 0
        if (isNew && !(await isFirst({ ...call, ...begun, plannedAt: now, startedAt: now }))) return undefined
        if (!isNew) await database.transaction(async (trx) => rowOf(call, trx).patch(begun))
        return Object.assign(call, begun)
      },
      async refuse(_call, _outcome, refusedGeneration) {
        const refused = { refusedAttempts: call.refusedAttempts + 1, refusedGeneration }
        await rowOf(call).patch(refused)
        return Object.assign(call, refused)
      },
      refreshed: async () => {},
      job: jobLedgerOf(call),
      finish: (_call, outcome) => recordOutcome(call, statusAfter(call, outcome), outcome),
      async unsent(_call, sent) {
        const { code, message } = reasonOf(sent, clock.now())
        if (call.job) return recordOutcome(call, statusAfter(call, inDoubt(message)), inDoubt(message))
        const refused = { kind: 'unavailable', httpStatus: null, certain: true, text: message } as const
        if (call.attempts > 0) await recordOutcome(call, 'failed', refused)
        // Many requests may hit the host's limit. A row for each would be a way to fill the disk.
        else if (code !== 'OUTGOING_RATE_LIMITED') await recordUnsent(call, message)
      },
    }
  }

  /** Whoever has made the call decides how long they wait. */
  function jobLedgerOf(call: DirectCall): NonNullable<CallLedger<DirectCall>['job']> {
    async function record(changes: Partial<Pick<DirectCall, 'job' | 'refusedGeneration'>>) {
      await rowOf(call).patch(changes)
      return Object.assign(call, changes)
    }
    return {
      async accept(_call, { job: state, text: words, askAfter }) {
        const now = clock.now()
        await record({ job: heard({ state, words, askAfter }, call.job, { now, until: later(now, mostWorkSeconds) }) })
        return undefined
      },
      async miss() {
        if (call.job) await record({ job: unheard(call.job, clock.now()) })
        return undefined
      },
      refuseAsking: (_call, refusedGeneration) => record({ refusedGeneration }),
    }
  }

  const rowOf = ({ id }: DirectCall, db: Database = database) => DirectToolCall.query(db).findById(id)

  async function isFirst(row: Partial<DirectToolCall>): Promise<boolean> {
    try {
      await database.transaction(async (trx) => DirectToolCall.query(trx).insert(row))
      return true
    } catch (error) {
      if (violatedConstraint(error) === 'direct_tool_calls_key') return false
      throw error
    }
  }

  async function recordOutcome(
    call: DirectCall,
    status: DirectToolCall['status'],
    outcome: CallOutcome,
  ): Promise<void> {
    const { httpStatus } = outcome
    const freed = freesKey(status, call.effect, outcome) && { idempotencyKey: null }
    const changes = { status, httpStatus, result: recordedResult(outcome), endedAt: clock.now(), ...freed }
    Object.assign(call, { status })
    await retryWhileUnavailable(async () => rowOf(call).patch(changes)).catch((cause: unknown) => {
      throw callError('TOOL_EXECUTION_ERROR', unrecorded, { ...call, status: 'unknown', httpStatus }, { cause })
    })
    metrics.toolCalls.inc({ effect: call.effect, outcome: status })
  }

  /** An unsent call has a row too, so its answer names a call that can be looked up. */
  async function recordUnsent(call: DirectCall, result: string): Promise<void> {
    const now = clock.now()
    const times = { plannedAt: now, startedAt: now, endedAt: now }
    // Refusals are free for clients, so large arguments of unsent calls are not kept.
    const args = call.arguments.length > keptUnsent ? '{}' : call.arguments
    const ended = { status: 'failed' as const, result, idempotencyKey: null }
    await DirectToolCall.query(database).insert({ ...call, ...times, ...ended, arguments: args })
    metrics.toolCalls.inc({ effect: call.effect, outcome: ended.status })
  }

  return { ledgerOf }
}

const keptUnsent = 1024

/** A call that a user makes, before and after it was sent. */
export type DirectCall = ReturnType<typeof directCall>

export function directCall(
  entry: VaultEntry,
  tool: { name: string; effect: DirectToolCall['effect'] },
  { args, idempotencyKey = null }: { args: string; idempotencyKey?: string | null | undefined },
) {
  return {
    id: newId(),
    ownerId: entry.ownerId,
    vaultEntryId: entry.id,
    siteOrigin: entry.origin,
    tool: tool.name,
    effect: tool.effect,
    arguments: args,
    idempotencyKey,
    status: 'planned' as DirectToolCall['status'],
    attempts: 0,
    refusedAttempts: 0,
    refusedGeneration: null as number | null,
    job: null as Job | null,
  }
}
