import { setTimeout as delay } from 'node:timers/promises'
import knex, { type Knex } from 'knex'
import { knexSnakeCaseMappers } from 'objection'
import { types } from 'pg'
import type { Config } from '../config/config.ts'
import type { Logger } from '../logger.ts'

export type Database = Knex
export type Transaction = Knex.Transaction

/** bigint columns (ledger numbers, token counts) stay far below 2^53 here, so they are read as numbers. */
types.setTypeParser(types.builtins.INT8, Number)

/**
 * The connection pool. Connections are made when first needed, so a process starts and recovers without Postgres.
 * A query waits five seconds at most for a connection; then the caller gets an error instead of a hanging request.
 */
export function createDatabase(config: Pick<Config, 'database'>, logger: Logger): Database {
  const database = knex({
    client: 'pg',
    connection: {
      connectionString: config.database.url,
      application_name: 'switchyard',
      connectionTimeoutMillis: 3000,
      keepAlive: true,
      // A process that froze, or whose machine went away, must not keep its locks.
      statement_timeout: 30_000,
      // A server that is cut off does not even refuse; this is noticed here, a little after it would have been there.
      query_timeout: 35_000,
      // A frozen process must not keep the lock of a queue for longer than cancelling a run of it may take.
      idle_in_transaction_session_timeout: 5000,
    },
    pool: { min: 0, max: config.database.pool },
    acquireConnectionTimeout: 5000,
    // Fields are camelCase in models and queries, columns snake_case; raw SQL is left alone.
    ...knexSnakeCaseMappers(),
    // Bindings may be payloads or tokens: they must not become part of an error's message.
    compileSqlOnError: false,
    log: {
      warn: (message: string) => logger.warn({ source: 'knex' }, message),
      error() {},
      debug() {},
      deprecate() {},
    },
  })
  return database
}

/**
 * Whether the error says that Postgres cannot be reached: SQLSTATE classes 08 and 57P, a server that only reads (25006,
 * after a failover), socket errors, a host name that does not resolve just now, an exhausted pool.
 */
export function isUnreachable(error: unknown): boolean {
  const { code, name, message } = native(error)
  if (name === 'KnexTimeoutError') return true
  if (typeof code === 'string') return unreachable.test(code)
  return typeof message === 'string' && codeless.test(message)
}

/**
 * Whether the same work may succeed in a moment: Postgres cannot be reached, it gave this transaction up in favour of
 * another (40001, 40P01) or because we stood still in the middle of it (25P03), or the vault keys are not proved yet.
 */
export function isTransient(error: unknown): boolean {
  const { code, name } = native(error)
  if (name === 'KeysNotProvedError') return true
  return isUnreachable(error) || (typeof code === 'string' && /^(25P03|40001|40P01)$/.test(code))
}

const unreachable = /^(08|57P|53300|25006|ECONN|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EAI_AGAIN|EHOST|ENET)/

/** What pg says without a code when a connection breaks; knex puts the statement in front of it. */
const codeless =
  /(Connection terminated( unexpectedly| due to connection timeout)?|timeout expired|Query read timeout|is not queryable)$/

/**
 * For storing what is known already and nobody else knows (a model's answer, a site's): what fails for the time being is
 * tried again, until the signal aborts. The work may have been committed although its answer was lost, so it must look
 * first.
 */
export async function retryWhileUnavailable<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error
      await delay(500, undefined, { signal }).catch(() => undefined)
    }
  }
}

interface NativeError {
  code?: unknown
  name?: unknown
  constraint?: unknown
  message?: unknown
}

/** What pg threw: objection wraps it, without its code. */
function native(error: unknown): NativeError {
  const { nativeError } = (error ?? {}) as { nativeError?: unknown }
  return nativeError ?? error ?? {}
}

/** The name of the constraint that a failed statement violated, or undefined. Names are given in the migrations. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = native(error)
  return typeof code === 'string' && code.startsWith('23') && typeof constraint === 'string' ? constraint : undefined
}
