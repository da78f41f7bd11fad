import type { Transaction } from '../database/database.ts'
import type { Sender } from '../tools/sender.ts'
import { sendingOf } from '../tools/sending.ts'
import type { ToolCall } from '../tools/tool-call.ts'

/**
 * Tells sites, once the transaction that ended these calls is committed, that nobody waits for what they work on. It is
 * not made again if the process ends meanwhile: a site forgets such work by itself.
 */
export function abandonJobs(
  trx: Transaction,
  { abandon }: Pick<Sender, 'abandon'>,
  { ownerId, calls }: { ownerId: string; calls: readonly ToolCall[] },
): void {
  const jobs = calls.filter(({ job }) => job !== null)
  const rest = { ownerId, share: ownerId, idempotencyKey: '', mayWait: false }
  trx.executionPromise.then(
    () => Promise.all(jobs.map((call) => abandon(sendingOf(call, rest)))),
    () => undefined,
  )
}
