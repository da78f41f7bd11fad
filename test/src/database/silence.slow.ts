import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { createDatabase, isUnreachable } from '../../../src/database/database.ts'
import { createLogger } from '../../../src/logger.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { openDatabaseDoor } from '../../helpers/database-door.ts'

test('what is stored after Postgres was silent for longer than a statement may take is stored', async (t) => {
  t.timeout(120_000)
  const { url } = await createTestDatabase(t)
  const door = await openDatabaseDoor(t, url)
  const open = (at: string) => createDatabase({ database: { url: at, pool: 1 } }, createLogger('silent', 'test'))
  const [database, others] = [open(door.url), open(url)]
  t.teardown(() => Promise.all([database.destroy(), others.destroy()]))
  await others.raw('create table things (name text)')
  await database.raw('select 1')
  door.hold()
  // Its `begin` is on the way to Postgres, and is executed after the silence.
  const error = await t.throwsAsync(database.transaction(async (trx) => trx.raw('select 1')))
  t.true(isUnreachable(error))
  door.release()
  await database.raw("insert into things values ('kept')")
  // Postgres ends a transaction that is idle for five seconds.
  await delay(6000)
  t.is((await others.raw<{ rows: unknown[] }>('select from things')).rows.length, 1)
})
