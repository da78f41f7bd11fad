import type { SourceFile } from './source.ts'

/** A statement with which the previous release cannot work, or that blocks others for long. */
interface NotAdditive {
  path: string
  problem: string
}

/** An action of `alter table`, or a whole statement, in lower case, on one line and without quoted texts. */
interface Rule {
  pattern: RegExp
  unless?: RegExp
  because: string
}

const breaks = 'the previous release may still use it'
const scans = 'it reads the whole table under a lock'
const blocks = 'it blocks writers'

/** Rules for every statement. */
const statementRules: Rule[] = [
  { pattern: /^drop (table|view|type|function|trigger|schema|sequence)\b/, because: breaks },
  { pattern: /^alter \w+ .*\brename\b/, because: breaks },
  { pattern: /^alter table .*\b(disable|enable) (trigger|rule|row)\b/, because: breaks },
  { pattern: /^(truncate|lock|cluster|vacuum full)\b/, because: blocks },
  { pattern: /^(drop index|reindex)\b/, unless: /\bconcurrently\b/, because: blocks },
]

/** Rules for tables that the same migration did not create. */
const tableRules: Rule[] = [
  { pattern: /^create (unique )?index\b/, unless: /\bconcurrently\b/, because: blocks },
  { pattern: /^create (or replace )?(constraint )?trigger\b/, because: 'it changes what the previous release does' },
  {
    pattern: /^(update|delete from|with\b.*\b(update|delete from))\b/,
    unless: /\blimit\b/,
    because: 'it locks all its rows; do it in batches',
  },
]

/** Rules for each action of `alter table` on such a table. */
const actionRules: Rule[] = [
  { pattern: /^drop (column )?(?!constraint\b)/, because: breaks },
  { pattern: /^add exclude\b/, because: scans },
  { pattern: /^alter (column )?\S+ (set data )?type\b/, because: 'it rewrites the table' },
  { pattern: /^alter (column )?\S+ drop default\b/, because: breaks },
  { pattern: /^alter (column )?\S+ set not null\b/, because: `${scans}, and ${breaks}` },
  {
    pattern: /^add (?!constraint\b).*(?<!\bis )\bnot null\b/,
    unless: /\bdefault\b/,
    because: 'the previous release leaves it out',
  },
  {
    pattern: /^add (?!constraint\b).*\bdefault (?!now\(\))\w+\(/,
    because: 'a default that differs rewrites the table',
  },
  { pattern: /^add (?!constraint\b).*\b(references|check|unique|primary key|generated)\b/, because: scans },
  { pattern: /^add constraint \S+ (check|foreign key)\b/, unless: /\bnot valid$/, because: scans },
  { pattern: /^add constraint \S+ (unique|primary key|exclude)\b/, unless: /\busing index\b/, because: scans },
]

const allowance = /^-- not additive: \S+ \S+/

/**
 * Checks that a new migration only adds, so that the previous release works with it and nobody waits for it
 * (docs/contribute/deploys.md, "Migrations"). A comment `-- not additive: <reason>` before a statement allows it.
 */
export function checkAdditiveMigrations(files: SourceFile[]): NotAdditive[] {
  return files
    .filter(({ path }) => /^migrations\/\d{12}-[\w-]+\.ts$/.test(path))
    .flatMap(({ path, code }) => [
      ...(unreadable.test(upOf(code)) ? [{ path, problem: 'is not written in SQL, as whole texts in this file' }] : []),
      ...problemsOf(statementsOf(code)).map((problem) => ({ path, problem })),
    ])
}

function problemsOf(statements: string[]): string[] {
  const isNew = createIsNew(statements)
  const validated = validatedUnderLock(statements)
  return statements.flatMap((statement) => {
    const found = problemsIn(statement, isNew).map((because) => `has the statement "${statement}": ${because}`)
    return validated.includes(statement) ? [...found, `has the statement "${statement}": ${scans}`] : found
  })
}

function problemsIn(statement: string, isNew: (statement: string) => boolean): string[] {
  const always = broken(statementRules, statement)
  if (always.length > 0 || isNew(statement)) return always
  return [...broken(tableRules, statement), ...actionsOf(statement).flatMap((action) => broken(actionRules, action))]
}

const broken = (rules: Rule[], text: string): string[] =>
  rules.filter(({ pattern, unless }) => pattern.test(text) && !unless?.test(text)).map(({ because }) => because)

/** The table that a statement is about. */
const tableOf = (statement: string): string | undefined =>
  /^(?:create table|alter table|update|delete from)(?: if (?:not )?exists)?(?: only)? ([\w.]+)|^create .*?index .*?\bon (?:only )?([\w.]+)/
    .exec(statement)
    ?.slice(1)
    .find(Boolean)

function createIsNew(statements: string[]): (statement: string) => boolean {
  const made = new Set(statements.filter((one) => one.startsWith('create table')).map(tableOf))
  return (statement) => made.has(tableOf(statement))
}

function actionsOf(statement: string): string[] {
  const [, actions] = /^alter table (?:if exists )?(?:only )?\S+ (.*)$/.exec(statement) ?? []
  return actions?.split(/, (?=(?:add|alter|drop|validate|rename) )/) ?? []
}

/** `validate` shares its transaction's lock of `add constraint`, unless the migration has no transaction. */
function validatedUnderLock(statements: string[]): string[] {
  const added = new Set(statements.filter((one) => /\bnot valid\b/.test(one)).map(tableOf))
  return statements.filter((one) => /\bvalidate constraint\b/.test(one) && added.has(tableOf(one)))
}

/** The query builder, texts that are joined, and code of other files, which may change. The baseline does not. */
const unreadable =
  /\.schema\b|\bknex\s*\(|\.(?:insert|update|delete|del|alterTable)\s*\(|[`'"]\s*\+|\+\s*[`'"]|^import (?!type\b)(?!.* from '\.\/baseline\/)/m

/** The code without `down`, whose statements may stand anywhere in it. */
const upOf = (code: string): string =>
  code
    .split(/^(?=\S)/m)
    .filter((part) => !/^(?:export )?(?:async function|function|const) down\b/.test(part))
    .join('')

/** The statements in the texts of a migration, without those of `down`, and those that an exception allows. */
function statementsOf(code: string): string[] {
  const texts = [...upOf(code).matchAll(/`([^`]*)`|'([^'\n]*)'|"([^"\n]*)"/g)].map(
    ([, long, single, double]) => long ?? single ?? double ?? '',
  )
  return texts
    .flatMap((text) => text.replaceAll(opaque, masked).split(';'))
    .filter((statement) => !statement.includes(allowed))
    .map((statement) => statement.replaceAll('"', '').replaceAll(/\s+/g, ' ').trim().toLowerCase())
}

/** Comments, bodies of functions and texts, which may contain anything. */
const opaque = /--.*|\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'/g

const allowed = '-- allowed'

function masked(part: string): string {
  if (!part.startsWith('--')) return "''"
  return allowance.test(part) ? `${allowed}\n` : ''
}
