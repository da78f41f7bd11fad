import { announceRestore } from '../../src/backups/announce-restore.ts'
import type { Restore } from '../../src/backups/restore.ts'
import { resumeRestored } from '../../src/backups/resume-restored.ts'
import { databaseClock as clock } from '../../src/clock.ts'
import type { Config } from '../../src/config/config.ts'
import type { Database, Transaction } from '../../src/database/database.ts'
import { closeCalls } from '../../src/loop/close-calls.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { createNotifications } from '../../src/notifications/notifications.ts'
import { createDue } from '../../src/runs/due.ts'
import { noteChange } from '../../src/schedules/note-change.ts'
import { closeDirectCalls } from '../../src/tools/tools.ts'

/** What commands do about a restore. They have no whole platform, only its database and a few settings. */
export function restoresOf(
  database: Database,
  config: Pick<Config, 'callbacks' | 'mail' | 'auditDays' | 'scheduleCatchUpSeconds'>,
) {
  const notifications = createNotifications({ database, clock, config })
  const calls = { close: closeCalls, closeDirect: closeDirectCalls }
  // Nobody reads the counters of a command.
  const metrics = createMetrics({ config: { metrics: { token: undefined } } })
  const catchUpMs = config.scheduleCatchUpSeconds * 1000
  const schedules: Parameters<typeof resumeRestored>[0]['schedules'] = {
    noteChange: (trx, before, after, now) => noteChange(trx, before, after, { now, catchUpMs, metrics }),
  }
  return {
    announce: (trx: Transaction, asOf: Date): Promise<Restore> =>
      announceRestore(trx, { clock, notifications, calls }, asOf),
    /** Resumes all agents that wait since a restore. Returns how many continue. */
    resumeAll: (): Promise<number> =>
      resumeRestored({ database, clock, due: createDue({ database, clock }), schedules }),
  }
}
