import type { EventEmitter } from 'node:events'
import { execa } from 'execa'
import type { Knex } from 'knex'
import type { Database } from '../../src/database/database.ts'
import type { Migration } from '../../src/database/migrate.ts'
import { problemsOfStatements } from './statements.ts'

/** Rules of squawk that are not ours. */
const leftOut = [
  // src/database/migrate.ts sets the timeout.
  'require-lock-timeout',
  // What may take long lets others write.
  'require-statement-timeout',
  // A migration is one transaction; the others have a rule of their own (statements.ts).
  'prefer-robust-stmts',
  // The code before writes a value, and goes on reading what it wrote.
  'ban-drop-not-null',
  // Counts of steps and attempts stay small.
  'prefer-bigint-over-int',
  // The order of our enumerations has no meaning.
  'require-enum-value-ordering',
]

/** Where squawk does not say what to do instead. */
const advice: Record<string, string> = {
  'ban-drop-column': `The release before uses it: drop it a release later, under the comment -- squawk-ignore ban-drop-column.`,
  'ban-drop-table': `The release before uses it: drop it a release later, under the comment -- squawk-ignore ban-drop-table.`,
  'renaming-column': 'The release before uses it: add a new one, write both, and drop the old one a release later.',
  'renaming-table': 'The release before uses it: add a new one, write both, and drop the old one a release later.',
  'changing-column-type': 'Add a new column, write both, and drop the old one a release later.',
  'adding-not-nullable-field':
    'Add a constraint with not null … not valid, and validate it in a migration without a transaction.',
  'adding-required-field': 'The release before does not write it: give it a default.',
}

interface Finding {
  line: number
  message: string
  help: string | null
  rule_name: string
}

const validateLater = 'Add the constraint as not valid, and validate it in a migration without a transaction.'

/** Carries out a migration, and says what in it blocks writers or the release before. */
export async function problemsOf(database: Database, migration: Migration): Promise<string[]> {
  const isTransaction = migration.config?.transaction !== false
  const before = await filesOf(database)
  const { statements, verified } = await carryOut(database, migration, isTransaction)
  const after = await filesOf(database)
  const rewritten = [...before].filter(([table, file]) => after.has(table) && after.get(table) !== file)
  return [
    ...(await squawk(`${statements.join(';\n')};\n`, isTransaction)),
    ...problemsOfStatements(statements, isTransaction),
    ...rewritten.map(([table]) => `It writes the whole table ${table} anew, which blocks everybody meanwhile.`),
    ...verified
      .filter((table) => isTransaction && before.has(table))
      .map((table) => `It reads the whole table ${table}, which blocks everybody meanwhile. ${validateLater}`),
  ]
}

/** What a migration does to a database that has the migrations before it. */
interface CarriedOut {
  statements: string[]
  /** Tables that Postgres has read as a whole, to see whether each row keeps a new constraint. */
  verified: string[]
}

async function carryOut(database: Database, migration: Migration, isTransaction: boolean): Promise<CarriedOut> {
  const done: CarriedOut = { statements: [], verified: [] }
  const record = ({ sql }: { sql: string }) => done.statements.push(sql)
  const notice = ({ message }: { message: string }) => {
    const table = /^(?:verifying table|validating foreign key constraint .* on table) "(\w+)"/.exec(message)?.[1]
    if (table !== undefined) done.verified.push(table)
  }
  const work = async (knex: Database) => {
    const stopListening = isTransaction ? await listen(knex, notice) : () => undefined
    knex.on('query', record)
    await migration.up(knex)
    knex.removeListener('query', record)
    stopListening()
  }
  await (isTransaction ? database.transaction(work) : work(database))
  const statements = done.statements.filter((text) => !/^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/.test(text))
  return { ...done, statements }
}

/** Postgres says what it does to a table in its messages of the level `debug1`. */
async function listen(trx: Database, notice: (message: { message: string }) => void): Promise<() => void> {
  const connection = (await (trx.client as Knex.Client).acquireConnection()) as EventEmitter
  await trx.raw('set local client_min_messages = debug1')
  connection.on('notice', notice)
  return () => connection.removeListener('notice', notice)
}

/** In which file Postgres keeps each table: another one when it was rewritten. */
async function filesOf(database: Database): Promise<Map<string, number>> {
  const { rows } = await database.raw<{ rows: { relname: string; relfilenode: number }[] }>(
    `select relname, relfilenode from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  return new Map(rows.map(({ relname, relfilenode }) => [relname, relfilenode]))
}

async function squawk(sql: string, isTransaction: boolean): Promise<string[]> {
  const args = ['--reporter', 'json', '--pg-version', '18', '--stdin-filepath', 'migration.sql', ...exclusions]
  const { stdout } = await execa('squawk', [...args, ...(isTransaction ? ['--assume-in-transaction'] : [])], {
    input: sql,
    preferLocal: true,
    localDir: import.meta.dirname,
    reject: false,
  })
  const findings = JSON.parse(stdout) as Finding[]
  return findings.map(
    ({ line, message, help, rule_name: rule }) =>
      `${sql.split('\n')[line]?.trim()}: ${message} ${advice[rule] ?? help ?? ''} (${rule})`,
  )
}

const exclusions = leftOut.flatMap((rule) => ['--exclude', rule])
