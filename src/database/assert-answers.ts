import { setTimeout as delay } from 'node:timers/promises'
import knex from 'knex'
import type { Database } from './database.ts'

/** How long the database may take to answer a health check, in milliseconds. Probes give up soon after. */
const answerMs = 2000

/**
 * Fails, like any query, if the database cannot be reached or does not answer within two seconds. A query to a server
 * that is cut off would wait much longer, and so would health checks after its return.
 */
export async function assertAnswers(database: Database): Promise<void> {
  const over = new AbortController()
  const late = async () => {
    await delay(answerMs, undefined, { signal: over.signal })
    throw new knex.KnexTimeoutError('the database did not answer a health check in time')
  }
  try {
    await Promise.race([database.raw('select 1'), late()])
  } finally {
    over.abort()
  }
}
