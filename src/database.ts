import { knex, type Knex } from 'knex'
import pg from 'pg'
import type { Config } from './config.ts'
import type { Logger } from './logger.ts'

export type Database = Knex
export type Transaction = Knex.Transaction

/** bigint columns (ledger numbers, token counts) stay far below 2^53 here, so they are read as numbers. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/**
 * The connection pool. Connections are made when first needed, so a process starts and recovers without Postgres.
 * A query waits five seconds at most for a connection; then the caller gets an error instead of a hanging request.
 */
export function createDatabase(config: Config, logger: Logger): Database {
  const database = knex({
    client: 'pg',
    connection: {
      connectionString: config.database.url,
      application_name: 'switchyard',
      connectionTimeoutMillis: 3000,
      keepAlive: true,
    },
    pool: { min: 0, max: config.database.pool },
    acquireConnectionTimeout: 5000,
    // Bindings may be payloads or tokens: they must not become part of an error's message.
    compileSqlOnError: false,
    log: { warn: (message: string) => logger.warn({ source: 'knex' }, message), error() {}, debug() {}, deprecate() {} },
  })
  return database
}

/** Whether the error says that Postgres is away (SQLSTATE classes 08, 57P; socket errors; an exhausted pool). */
export function isDatabaseAway(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown }
  if (name === 'KnexTimeoutError') return true
  if (typeof code === 'string') return /^(08|57P|53300|ECONN|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH)/.test(code)
  return error instanceof Error && /^(Connection terminated|timeout expired)/.test(error.message)
}

/** The name of the constraint that a failed statement violated, or undefined. Names are given in the migrations. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return typeof code === 'string' && code.startsWith('23') && typeof constraint === 'string' ? constraint : undefined
}
