import type { Database } from '../../database/database.ts'
import { readClockLead } from '../../database/follow-clock.ts'
import { failing, fine, warning, type Check, type Finding } from '../finding.ts'

/** Differences that are worth a look, and that break things: tokens are refused, schedules fire late. In seconds. */
const [notable, harmful] = [2, 10]

export const clock: Check<{ database: Database }> = {
  name: 'clock',
  needs: ['postgres'],
  look: async ({ database }) => judgeClock("This machine's clock", "Postgres's", await readClockLead(database)),
}

/** The finding about a clock that is `leadMs` ahead of another. */
export function judgeClock(mine: string, theirs: string, leadMs: number): Finding {
  const seconds = Math.abs(leadMs) / 1000
  const side = leadMs > 0 ? 'ahead of' : 'behind'
  if (seconds < notable) return fine(`${mine} agrees with ${theirs}.`)
  const message = `${mine} is ${seconds.toFixed(seconds < 10 ? 1 : 0)} seconds ${side} ${theirs}.`
  const fix = 'Run a time service (chrony, systemd-timesyncd) on both machines.'
  return seconds < harmful ? warning(message, fix) : failing(message, fix)
}
