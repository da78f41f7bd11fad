import type { Knex } from 'knex'

/** What Postgres answers to a statement. */
interface Answer<Row> {
  rows: Row[]
  rowCount: number
}

/**
 * Whether statements are prepared: the connections of this process lead to sessions of its own. A pooler of transactions
 * gives each transaction another session, which knows nothing of what was prepared before.
 */
let prepares: boolean | undefined

/** Learns whether a new connection has a session of its own. Before the first, and after one without, nothing is prepared. */
export function noteSession(isOwn: boolean): void {
  prepares = isOwn && prepares !== false
}

/**
 * Whether the session does not have the prepared statement, or has it for a column of another type. The routine tells the
 * latter from other 0A000; messages are in the server's language.
 */
export const isUnprepared = ({ code, routine }: { code?: unknown; routine?: unknown }): boolean =>
  code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')

let statements = 0

/**
 * A statement that runs at every step. Its text is made once, and each session parses it once and may keep its plan: for
 * short statements, Postgres takes longer for that than for the work itself. Bindings are named (`:runId`), one that
 * occurs twice has one type. It selects columns by name, because a prepared `*` fails when a migration adds a column. If a
 * session refuses what was prepared, this process prepares nothing from then on, and a retry succeeds.
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
  try {
    // As options, because knex would read the text and the bindings again each time.
    return await db.raw<Answer<Row>>(text).options({ text, values, ...(prepares && { name }) })
  } catch (error) {
    if (isUnprepared(error as object)) prepares = false
    throw error
  }
}

/** The pool as a client of pg, for a package that names its statements. Where nothing is prepared, the names are dropped. */
export const asClient = (db: Knex) => ({ query: (question: Question) => ask<object>(db, question) })

function valueOf(bindings: Record<string, unknown>, name: string): unknown {
  if (bindings[name] === undefined) throw new Error(`the binding ${name} of a statement is undefined`)
  return bindings[name]
}
