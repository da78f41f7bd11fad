import type { Knex } from 'knex'
import { correctClock } from '../clock.ts'
import type { Logger } from '../logger.ts'

/** A correction that operators should learn of, in milliseconds: this machine's clock is wrong, or was set. */
const notable = 1000

/**
 * Corrects the time of this process (`databaseClock`) by the database's clock. Each connection does so before its first
 * statement, and a loop repeats it, because clocks drift and are set.
 */
export async function followClock(database: Knex, logger: Logger, connection?: unknown): Promise<void> {
  const query = database.raw<{ rows: [{ now: Date }] }>('select clock_timestamp() as now')
  const sent = Date.now()
  const { rows } = await (connection === undefined ? query : query.connection(connection))
  const movedMs = correctClock({ sent, theirs: rows[0].now.getTime(), received: Date.now() })
  if (Math.abs(movedMs) >= notable)
    logger.warn({ movedMs }, "this machine's clock differs from the database's, which counts")
}

/**
 * How far this machine's clock is ahead of the database's, in milliseconds, within the time that a query takes. Unlike
 * the time of this process, it is not corrected.
 */
export async function readClockLead(database: Knex): Promise<number> {
  // The first query opens the connection, which may take long.
  await database.raw('select 1')
  const sent = Date.now()
  const { rows } = await database.raw<{ rows: [{ now: Date }] }>('select clock_timestamp() as now')
  return (sent + Date.now()) / 2 - rows[0].now.getTime()
}
