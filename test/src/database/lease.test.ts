import test from 'ava'
import { createDatabase } from '../../../src/database/database.ts'
import { createLease } from '../../../src/database/lease.ts'
import { createLogger } from '../../../src/logger.ts'
import { createTestDatabase } from '../../helpers/database.ts'

test('a lease is held by one process, for as long as it extends it', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = createDatabase({ database: { url, pool: 2 } }, createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  const [one, other] = [createLease({ database }), createLease({ database })]
  t.true(await one.hold('loop', 60))
  t.false(await other.hold('loop', 60))
  t.true(await one.hold('loop', 60), 'its holder extends it')
  t.true(await other.hold('another loop', 60), 'each loop has a lease of its own')

  await database('leases')
    .where({ name: 'loop' })
    .update({ expires_at: new Date(Date.now() - 1000) })
  t.true(await other.hold('loop', 60))
  t.false(await one.hold('loop', 60))
})
