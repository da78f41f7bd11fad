import { execa } from 'execa'
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

/** Carries out a migration, and says what in it blocks writers or the release before. */
export async function problemsOf(database: Database, migration: Migration): Promise<string[]> {
  const isTransaction = migration.config?.transaction !== false
  const before = await filesOf(database)
  const statements = await statementsOf(database, migration, isTransaction)
  const after = await filesOf(database)
  const rewritten = [...before].filter(([table, file]) => after.has(table) && after.get(table) !== file)
  return [
    ...(await squawk(`${statements.join(';\n')};\n`, isTransaction)),
    ...problemsOfStatements(statements, isTransaction),
    ...rewritten.map(([table]) => `It writes the whole table ${table} anew, which blocks everybody meanwhile.`),
  ]
}

/** The statements that it sends to the database, which has the migrations before it. */
async function statementsOf(database: Database, migration: Migration, isTransaction: boolean): Promise<string[]> {
  const statements: string[] = []
  const record = ({ sql }: { sql: string }) => statements.push(sql)
  const carryOut = async (knex: Database) => {
    knex.on('query', record)
    await migration.up(knex)
    knex.removeListener('query', record)
  }
  await (isTransaction ? database.transaction(carryOut) : carryOut(database))
  return statements.filter((statement) => !/^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/.test(statement))
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
