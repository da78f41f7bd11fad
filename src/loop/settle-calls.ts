import { afterCommit } from '../database/after-commit.ts'
import type { Transaction } from '../database/database.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Sender } from '../tools/sender.ts'
import { sendingOf } from '../tools/sending.ts'
import type { ToolCall } from '../tools/tool-call.ts'

/**
 * Counts ended calls once the transaction that ended them is committed, and tells sites that nobody waits for what they
 * work on. It is not made again if the process ends meanwhile: a site forgets such work by itself.
 */
export const createSettleCalls =
  ({ metrics, sender }: { metrics: Pick<Metrics, 'toolCalls'>; sender: Pick<Sender, 'abandon'> }) =>
  (trx: Transaction, { ownerId, calls }: { ownerId: string; calls: readonly ToolCall[] }): void => {
    const jobs = calls.filter(({ job }) => job !== null)
    const rest = { ownerId, share: ownerId, idempotencyKey: '', mayWait: false }
    afterCommit(trx, () => {
      for (const { effect, status: outcome } of calls) metrics.toolCalls.inc({ effect, outcome })
      void Promise.all(jobs.map((call) => sender.abandon(sendingOf(call, rest))))
    })
  }
