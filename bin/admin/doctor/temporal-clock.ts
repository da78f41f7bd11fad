import { judgeClock } from '../../../src/health/checks/clock.ts'
import type { Check } from '../../../src/health/finding.ts'
import type { Database } from '../../../src/database/database.ts'
import type { Outside } from './context.ts'

/** Temporal's clock against Postgres's: timers and schedules fire by the one, and due times are kept by the other. */
export const temporalClock: Check<Outside> = {
  name: 'clock of temporal',
  needs: ['postgres', 'search attributes'],
  async look({ database, temporal }) {
    const before = await timeOf(database)
    const theirs = (await temporal.serverFacts.time()).getTime()
    const after = await timeOf(database)
    const lead = theirs < before ? theirs - before : Math.max(0, theirs - after)
    return judgeClock("Temporal's clock", "Postgres's", lead)
  },
}

async function timeOf(database: Database): Promise<number> {
  const { rows } = await database.raw<{ rows: [{ now: Date }] }>('select clock_timestamp() as now')
  return rows[0].now.getTime()
}
