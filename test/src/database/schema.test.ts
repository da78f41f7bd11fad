import test from 'ava'
import { createDatabase } from '../../../src/database/database.ts'
import { createLogger } from '../../../src/logger.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { readCatalog } from './catalog.ts'

const read = forWholeFile(test, 'schema', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = createDatabase({ database: { url, pool: 1 } }, createLogger('silent', 'test'))
  const catalog = await readCatalog(database)
  await database.destroy()
  return catalog
})

/** Ids that are not UUIDs of ours. */
const otherIds: Record<string, string> = {
  'audit_entries.subject_id': 'may be the name of a host',
  'chat_messages.client_id': 'comes from the client',
  'connected_apps.client_id': 'comes from the registration, or is an address',
  'due_agents.id': 'only orders its rows, and is eight bytes',
  'tool_calls.model_call_id': 'comes from the model',
  'runs.request_id': 'comes from the caller',
  'oauth_flows.client_id': 'comes from the site',
  'stripe_events.id': 'comes from Stripe',
  'vault_entries.client_id': 'comes from the site',
  'vault_revocations.client_id': 'comes from the site',
  'workspace_providers.client_id': 'comes from the provider',
}

test('ids are stored as uuid, except those of others', async (t) => {
  const catalog = await read()
  const ids = catalog.columns.filter(({ column }) => /^id$|_id$|^replay_of$|^holder$/.test(column))
  const others = ids.filter(({ type }) => type !== 'uuid').map(({ table, column }) => `${table}.${column}`)
  t.true(ids.length > 50)
  t.deepEqual(others.toSorted(), Object.keys(otherIds).toSorted())
})

test('every foreign key has an index of all rows that have it, which begins with its columns', async (t) => {
  const catalog = await read()
  const keys = catalog.constraints.filter(({ type }) => type === 'f')
  const missing = keys.filter(({ table, columns }) => {
    const beginsWithKey = catalog.indexes.filter(
      (index) => index.table === table && isWhole(index, columns) && isBegin(columns, index.columns),
    )
    return beginsWithKey.length === 0
  })
  t.true(keys.length > 10)
  t.deepEqual(missing, [])
})

/** What refers to nothing need not be found. */
const isWhole = ({ predicate }: { predicate: string | null }, columns: string[]): boolean =>
  predicate === null || columns.some((column) => predicate === `(${column} IS NOT NULL)`)

/** In any order, as a foreign key is looked up by all of its columns. */
const isBegin = (columns: string[], all: string[]): boolean =>
  all.slice(0, columns.length).toSorted().join() === columns.toSorted().join()

test('no index is the beginning of another one of the same rows, unless it keeps something unique', async (t) => {
  const catalog = await read()
  const doubled = catalog.indexes.filter(
    (one) =>
      !one.isUnique &&
      catalog.indexes.some(
        (other) =>
          other.name !== one.name &&
          other.table === one.table &&
          other.predicate === one.predicate &&
          `${other.columns.join()},`.startsWith(`${one.columns.join()},`),
      ),
  )
  t.true(catalog.indexes.length > 60)
  t.deepEqual(
    doubled.map(({ name }) => name),
    [],
  )
})

/** What changes with every step of a run, and with every run of a queue. */
const changing: Record<string, string> = {
  runs: `events progressed_at steps step_attempts attempt attempted_at failed_attempt failed_at failure retry_at
    tool_calls input_tokens output_tokens credits`,
  agent_queues: `last_sequence unfinished awake progressed_at signalled_at running_run_id claimed_by claimed_epoch`,
}

for (const [table, names] of Object.entries(changing)) {
  test(`the pages of ${table} have free space, and no index names what every step changes`, async (t) => {
    const catalog = await read()
    const columns = names.split(/\s+/)
    const { options = [] } = catalog.tables.find(({ name }) => name === table) ?? {}
    const fill = Number(/^fillfactor=(\d+)$/m.exec(options.join('\n'))?.[1] ?? 100)
    t.true(fill < 100)
    const known = catalog.columns.filter((one) => one.table === table && columns.includes(one.column))
    t.is(known.length, columns.length)
    const indexes = catalog.indexes.filter((index) => index.table === table)
    const hindering = indexes.filter(({ definition }) => new RegExp(`\\b(${columns.join('|')})\\b`).test(definition))
    t.deepEqual(
      hindering.map(({ definition }) => definition),
      [],
    )
  })
}

/** The names that Postgres gives: of the columns, with a number if there is one already. */
const isGenerated = (table: string, name: string, columns: string[], ends: string): boolean =>
  new RegExp(`^${table}_(${columns.join('_')}_)?(${ends})\\d*$`).test(name) && name !== `${table}_pkey`

test('constraints and indexes have names of ours, which begin with their table', async (t) => {
  const catalog = await read()
  const names = [
    ...catalog.constraints.map((one) => ({ ...one, ends: 'pkey|key|fkey|check' })),
    ...catalog.indexes.filter(({ ofPartition }) => !ofPartition).map((one) => ({ ...one, ends: 'idx' })),
  ]
  const wrong = names.filter(
    ({ table, name, columns, ends }) => !name.startsWith(`${table}_`) || isGenerated(table, name, columns, ends),
  )
  t.deepEqual(
    wrong.map(({ name }) => name),
    [],
  )
})

test('every index is valid, and every partitioned table has a default partition', async (t) => {
  const catalog = await read()
  t.true(catalog.indexes.every(({ isValid }) => isValid))
  const partitioned = catalog.tables.filter(({ hasDefault }) => hasDefault !== null)
  t.true(partitioned.length > 0)
  t.true(partitioned.every(({ hasDefault }) => hasDefault))
})
