import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { createDatabase } from '../../../src/database/database.ts'
import { createLogger } from '../../../src/logger.ts'
import { tablesOf } from '../../deletion/tables.ts'
import { createTestDatabase } from '../../helpers/database.ts'

const page = readFileSync(fileURLToPath(new URL('../../../docs/operations.md', import.meta.url)), 'utf8')
const section = page.split('## What grows, and what bounds it\n')[1]?.split('\n## ')[0] ?? ''

test('the documentation says of every table what bounds it, and names each once', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = createDatabase({ database: { url, pool: 1 } }, createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  const rows = [...section.matchAll(/^\| (`.*?`) *\| (\S.*?) *\|$/gm)]
  const named = rows.flatMap(([, names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  t.deepEqual(named.toSorted(), await tablesOf(database))
})
