/** What squawk does not look at. */

const batches = 'Do it in batches (… where id in (select id … limit 1000)), in a migration without a transaction.'

const later = 'Do it a release later, under the comment -- unused: <since when>.'

/** What a migration in a transaction must not do, unless it says that nothing uses what it changes any more. */
const refused: [RegExp, string][] = [
  [/^(update|delete|merge)\b/, `It locks rows until the migration ends. ${batches}`],
  [/^with\b.*\b(update|delete from|merge into)\b/s, `It locks rows until the migration ends. ${batches}`],
  [/^do\b/, 'Nobody sees what a block does. Write its statements one by one.'],
  [/^lock\b/, 'It blocks others until the migration ends. Leave it out.'],
  [
    /\bvalidate constraint\b/,
    'It reads the whole table under the locks of the statements before. Write a migration without a transaction.',
  ],
  [/\bpartition of\b/, 'It locks the partitioned table. Create a table like it, and attach that.'],
  [/(?<!on (delete|update) )\bcascade\b/, 'Nobody sees what goes with it. Drop that first, each by its name.'],
  [
    /^alter\b.*\brename\b/,
    'The release before knows the old name. Add a new one, and drop the old one a release later.',
  ],
  [/^alter table\b.*\bdrop default\b/, `The release before relies on it. ${later}`],
  [/^drop (type|function|procedure|schema|view|trigger|sequence|domain)\b/, `The release before uses it. ${later}`],
]

/** All that a migration without a transaction may do: it has no lock_timeout, and these let others write. */
const allowed = [
  /^create (unique )?index concurrently (?!if not exists)\w/,
  /^drop index concurrently\b/,
  /^reindex\b.*\bconcurrently\b/,
  /^alter table (only )?\S+ validate constraint \S+$/,
  /^alter table \S+ detach partition \S+ (concurrently|finalize)$/,
  /^(update \S+ set (?:(?!\bselect\b).)*|delete from \S+) where (\w+|\([\w, ]+\)) in \(select .*\blimit (\d+|\$\d+)\)$/s,
  /^select\b/,
]

/** The problems of the statements of one migration. */
export function problemsOfStatements(statements: string[], isTransaction: boolean): string[] {
  if (isTransaction) {
    const single = statements.filter((statement) => !/^\s*-- unused: \S/.test(statement)).flatMap(split)
    return single.flatMap((statement) =>
      refused.filter(([pattern]) => pattern.test(statement)).map(([, problem]) => `${statement}: ${problem}`),
    )
  }
  const single = statements.flatMap(split)
  return [
    ...single
      .filter((statement) => !allowed.some((pattern) => pattern.test(statement)))
      .map((statement) => `${statement}: It needs a transaction, which limits how long it waits for a lock.`),
    ...single.flatMap((statement, index) => problemOfIndex(statement, single.slice(0, index))),
  ]
}

/** A build that was interrupted leaves an invalid index, which a repetition has to build anew. */
function problemOfIndex(statement: string, before: string[]): string[] {
  const name = /^create (?:unique )?index concurrently (\w+)/.exec(statement)?.[1]
  if (name === undefined || before.includes(`drop index concurrently if exists ${name}`)) return []
  return [`${statement}: Begin with drop index concurrently if exists ${name}, so that it can be repeated.`]
}

/** In lower case, without comments, texts and bodies of functions. */
const split = (sql: string): string[] =>
  sql
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'/g, "''")
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter(Boolean)
