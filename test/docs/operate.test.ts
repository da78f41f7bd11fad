import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { createDatabase } from '../../src/database/database.ts'
import { createLogger } from '../../src/logger.ts'
import { createTestDatabase } from '../helpers/database.ts'

const folder = join(import.meta.dirname, '../../docs/operate')

/** Every statement in the SQL of a page for operators. */
const statementsIn = (page: string): string[] =>
  [...page.matchAll(/^```sql\n([\s\S]*?)^```/gm)].flatMap(([, sql = '']) =>
    sql.split(/;$/m).filter((statement) => /\S/.test(statement)),
  )

const statements = readdirSync(folder).flatMap((name) =>
  statementsIn(readFileSync(join(folder, name), 'utf8')).map((sql) => ({ name, sql })),
)

test('Postgres runs every SQL statement that operators are told to use', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = createDatabase({ database: { url, pool: 1 } }, createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  t.true(statements.length > 10)
  for (const { name, sql } of statements) await t.notThrowsAsync(async () => database.raw(sql), `${name}:\n${sql}`)
})
