import test from 'ava'
import { createDatabase } from '../../../src/database/database.ts'
import { createLogger } from '../../../src/logger.ts'
import { documentedTables, tablesOf } from '../../deletion/tables.ts'
import { createTestDatabase } from '../../helpers/database.ts'

test('the documentation says of every table what limits it, and names each once', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = createDatabase({ database: { url, pool: 1 } }, createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  t.deepEqual(documentedTables().toSorted(), await tablesOf(database))
})
