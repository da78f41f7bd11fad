import type { Knex } from 'knex'
import type { Client } from 'pg'

/** What Postgres answers to a statement. */
interface Answer<Row> {
  rows: Row[]
  rowCount: number
}

/** Pools whose sessions have refused a prepared statement, by knex's configuration of them, which their transactions share. */
const unprepared = new WeakSet<object>()

/**
 * Makes a connection prepare nothing. A pooler of transactions gives each transaction another session, which knows
 * nothing of what was prepared before, or has another statement of the same name.
 */
export function neverPrepare(connection: Client): void {
  const query = connection.query.bind(connection) as (question: object | string, ...rest: unknown[]) => unknown
  const unnamed = (question: object | string, ...rest: unknown[]) =>
    query(typeof question === 'object' && 'name' in question ? { ...question, name: undefined } : question, ...rest)
  Object.assign(connection, { query: unnamed })
}

/**
 * Whether the session does not have the prepared statement, has another one of its name, or has it for a column of
 * another type. The routine tells the latter from other 0A000; messages are in the server's language.
 */
export const isUnprepared = ({ code, routine }: { code?: unknown; routine?: unknown }): boolean =>
  code === '26000' || code === '42P05' || (code === '0A000' && routine === 'RevalidateCachedQuery')

let statements = 0

/**
 * A statement that runs at every step. Its text is made once, and each session parses it once and may keep its plan: for
 * short statements, Postgres takes longer for that than for the work itself. Bindings are named (`:runId`), one that
 * occurs twice has one type. It selects columns by name, because a prepared `*` fails when a migration adds a column. If a
 * session refuses what was prepared, the statement runs again without a name, and its pool prepares nothing from then on.
 * In a transaction, which the refusal has aborted, it fails, and a retry of the transaction succeeds.
 */
export function statement<Row extends object>(sql: string) {
  const names: string[] = []
  const text = sql.replaceAll(/(?<!:):([a-zA-Z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  statements += 1
  const name = `s${statements}`
  return async (db: Knex, bindings: Record<string, unknown>): Promise<Answer<Row>> => {
    const values = names.map((each) => valueOf(bindings, each))
    return ask<Row>(db, { name, text, values })
  }
}

interface Question {
  name: string
  text: string
  values: unknown[]
}

async function ask<Row>(db: Knex, { name, text, values }: Question): Promise<Answer<Row>> {
  const pool = (db.client as { config: object }).config
  // As options, because knex would read the text and the bindings again each time.
  const send = (question: Partial<Question>) => db.raw<Answer<Row>>(text).options(question)
  if (unprepared.has(pool)) return send({ text, values })
  try {
    return await send({ name, text, values })
  } catch (error) {
    if (!isUnprepared(error as object)) throw error
    unprepared.add(pool)
    if (db.isTransaction) throw error
    // Nothing was executed.
    return send({ text, values })
  }
}

/** The pool as a client of pg, for a package that names its statements. Names are dropped where nothing is prepared. */
export const asClient = (db: Knex) => ({ query: (question: Question) => ask<object>(db, question) })

function valueOf(bindings: Record<string, unknown>, name: string): unknown {
  if (bindings[name] === undefined) throw new Error(`the binding ${name} of a statement is undefined`)
  return bindings[name]
}
