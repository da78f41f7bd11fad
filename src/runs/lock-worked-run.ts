import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Transaction } from '../database/database.ts'
import { lockRun, type RunRef } from './record.ts'
import { Run } from './run.ts'
import { abandonedMs } from './time-left.ts'

/**
 * Locks the run's row for work that begins or has ended (`lockRun`). If the platform was away before, that time is booked:
 * it is no work of the run, and no wait for its owner. Throws StaleEpochError.
 */
export async function lockWorkedRun(
  trx: Transaction,
  ref: RunRef,
  { clock, config }: { clock: Clock; config: Pick<Config, 'budgets'> },
): Promise<Run> {
  const run = await lockRun(trx, ref)
  const ms = abandonedMs(run, config.budgets, clock.now())
  if (ms === 0) return run
  const changes = {
    waitedMs: run.waitedMs + ms,
    outageMs: run.outageMs + ms,
    progressedAt: new Date(run.progressedAt.getTime() + ms),
  }
  await Run.query(trx).findById(run.id).patch(changes)
  return Object.assign(run, changes)
}
