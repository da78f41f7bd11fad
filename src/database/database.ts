import { setTimeout as delay } from 'node:timers/promises'
import { callbackify } from 'node:util'
import knex, { type Knex } from 'knex'
import { knexSnakeCaseMappers } from 'objection'
import { types, type Client } from 'pg'
import type { Config } from '../config/config.ts'
import type { Logger } from '../logger.ts'
import { followClock } from './follow-clock.ts'
import { isUnprepared, neverPrepare } from './statement.ts'
import { createAccountTurns, guarded } from './while-permitted.ts'

/** How commands that may take long name their sessions, so that operators and alerts can tell them from work. */
export const commandName = 'switchyard command'

export type Database = Knex
export type Transaction = Knex.Transaction

/** Throws if the database must not be used. May use the given connection only. */
export type Prove = (database: Database, connection: unknown) => Promise<void>

/** bigint values (ledger numbers, token counts) stay far below 2^53, so numbers suffice. */
types.setTypeParser(types.builtins.INT8, Number)

/**
 * The connection pool. It connects on demand, so a process starts and recovers without Postgres. A query waits at most
 * `waitSeconds` for a connection. Migrations have no deadlines. Until `prove` has succeeded once, queries fail with its
 * error.
 */
export function createDatabase(
  config: { database: Pick<Config['database'], 'url' | 'pool'> & Partial<Config['database']> },
  logger: Logger,
  { deadlines = true, prove }: { deadlines?: boolean; prove?: Prove | undefined } = {},
): Database {
  const { waitSeconds = 5 } = config.database
  const database: Database = knex({
    client: 'pg',
    connection: {
      connectionString: config.database.url,
      application_name: deadlines ? 'switchyard' : commandName,
      // Ends before the query gives up, so the cause is reported.
      connectionTimeoutMillis: waitSeconds * 600,
      keepAlive: true,
      ...(deadlines && {
        // A frozen process or a lost machine must not keep its locks.
        statement_timeout: 30_000,
        // For a server that is cut off and silent: slightly longer than the server's own timeout.
        query_timeout: 35_000,
        // A frozen process must not hold a queue's lock longer than a cancellation may take.
        idle_in_transaction_session_timeout: 5000,
      }),
    },
    pool: {
      min: 0,
      max: config.database.pool,
      validate: isIdle,
      afterCreate: prepared(async (connection, isFirst) => {
        if (isFirst) await prove?.(database, connection)
        await followClock(database, logger, connection)
        if (!(await isOfOwnSession(database, connection))) neverPrepare(connection)
      }),
    },
    acquireConnectionTimeout: waitSeconds * 1000,
    // Fields are camelCase in models and queries, columns snake_case; raw SQL is not translated.
    ...knexSnakeCaseMappers(),
    // Bindings may be payloads or tokens, so error messages must not contain them.
    compileSqlOnError: false,
    log: {
      warn: (message: string) => logger.warn({ source: 'knex' }, message),
      error() {},
      debug() {},
      deprecate() {},
    },
  })
  return guardTransactions(database, createAccountTurns(Math.ceil(config.database.pool / shares)))
}

/**
 * Whether a connection may be used again. pg gives up a statement after `query_timeout`, but Postgres may still execute
 * it: after a `BEGIN` that was given up, everything on the connection would be part of a transaction that is never
 * committed, and on one that is cut off, every retry would fail as the first one did. The pool closes it instead.
 */
const isIdle = (connection: Client & { readyForQuery?: boolean }): boolean =>
  connection.readyForQuery === true && connection.getTransactionStatus() === 'I'

/** The changes of one account use at most this part of the connections: a fifth. */
const shares = 5

/** A request's transaction waits for the turn of its account, and commits only if its change is still permitted. */
function guardTransactions(database: Database, inTurn: ReturnType<typeof createAccountTurns>): Database {
  const begin = database.transaction.bind(database) as (
    work: Work,
    options?: Knex.TransactionConfig,
  ) => Promise<unknown>
  const transaction = (work: Work, options?: Knex.TransactionConfig) => inTurn(() => begin(guarded(work), options))
  return Object.defineProperty(database, 'transaction', { value: transaction })
}

type Work = (trx: Transaction) => Promise<unknown>

/**
 * A hook of the pool, which provides a new connection after it. Knex calls it with a callback. Connections count as
 * first until the work has succeeded with one.
 */
function prepared(work: (connection: Client, isFirst: boolean) => Promise<void>) {
  let isFirst = true
  return callbackify(async (connection: Client): Promise<void> => {
    try {
      await work(connection, isFirst)
      isFirst = false
    } catch (error) {
      // The pool forgets a connection that failed to open.
      void connection.end().catch(() => undefined)
      throw error
    }
  })
}

/** Whether the connection leads to one session of Postgres: a pooler tells its clients a number of its own for that. */
async function isOfOwnSession(database: Database, connection: Client & { processID?: number }): Promise<boolean> {
  const query = database.raw<{ rows: [{ pid: number }] }>('select pg_backend_pid() as pid')
  const { rows } = await query.connection(connection)
  return rows[0].pid === connection.processID
}

/**
 * Whether the error means that Postgres cannot be reached: SQLSTATE classes 08 and 57P, too many connections (53300), a
 * read-only server (25006, after a failover), socket errors, an unresolvable host name, an exhausted pool.
 */
export function isUnreachable(error: unknown): boolean {
  const { code, name, message, syscall, errors } = native(error)
  if (name === 'KnexTimeoutError' || syscall === 'connect') return true
  // One for each address of the host, of which one may mean only that this kind of address is not in use here.
  if (Array.isArray(errors)) return errors.some(isUnreachable)
  // A missing file has the code of a missing socket.
  if (syscall === 'open') return false
  if (typeof code === 'string') return unreachable.test(code)
  return typeof message === 'string' && codeless.test(message)
}

/**
 * Whether a retry may succeed: Postgres is unreachable; it aborted this transaction for another one (40001, 40P01),
 * because it was idle (25P03) or took too long (25P04, 57014, 55P03, for example waiting for a lock); it has no memory,
 * disk or files left (53, 58); it refuses the login, as while a password is changed (28, 3D000); its session refuses a
 * prepared statement; the database is not migrated yet; or the vault keys have not been verified yet.
 */
export function isTransient(error: unknown): boolean {
  const { code, name } = native(error)
  if (name === 'KeysNotProvedError' || name === 'NotMigratedError') return true
  if (isUnprepared(native(error))) return true
  return isUnreachable(error) || (typeof code === 'string' && transient.test(code))
}

/** Whether the statement waited for a lock longer than its `lock_timeout` (55P03). */
export const isLockTimeout = (error: unknown): boolean => native(error).code === '55P03'

/** Whether Postgres ended the transaction because it and others waited for each other (40P01). */
export const isDeadlock = (error: unknown): boolean => native(error).code === '40P01'

const transient = /^(25P0[34]|28...$|3D000|40001|40P01|53...$|55P03|57014|58...$)/

const unreachable =
  /^(08|57P|53300|25006|ECONN|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EAI_|EHOST|ENET|EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL)/

/** pg's messages without a code when a connection breaks. Knex prepends the statement. */
const codeless =
  /(Connection terminated( unexpectedly| due to connection timeout)?|timeout expired|Query read timeout|is not queryable)$/

/** How long a process tries to store data that only it has, in milliseconds. */
export const recordMs = 20_000

/**
 * Retries work that fails transiently, until the signal aborts; by default for `recordMs`, and once more after that, since
 * one attempt on a connection that was cut off may last longer. Use it to store data that only this process has. An
 * unconfirmed attempt may have committed, so the work must check first.
 */
export async function retryWhileUnavailable<T>(work: () => PromiseLike<T>, given?: AbortSignal): Promise<T> {
  const signal = given ?? AbortSignal.timeout(recordMs)
  for (;;) {
    const isLast = signal.aborted
    try {
      return await work()
    } catch (error) {
      if (!isTransient(error) || isLast || given?.aborted) throw error
      await delay(500, undefined, { signal }).catch(() => undefined)
    }
  }
}

interface NativeError {
  code?: unknown
  routine?: unknown
  name?: unknown
  constraint?: unknown
  message?: unknown
  syscall?: unknown
  errors?: unknown
}

/** The error of pg. Objection wraps it without its code. */
function native(error: unknown): NativeError {
  const { nativeError } = (error ?? {}) as { nativeError?: unknown }
  return nativeError ?? error ?? {}
}

/** The name of the constraint that a failed statement violated, or undefined. Migrations define the names. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = native(error)
  return typeof code === 'string' && code.startsWith('23') && typeof constraint === 'string' ? constraint : undefined
}
