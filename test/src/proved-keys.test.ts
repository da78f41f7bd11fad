import { randomBytes } from 'node:crypto'
import test from 'ava'
import { systemClock } from '../../src/clock.ts'
import { createDatabase } from '../../src/database.ts'
import { createLogger } from '../../src/logger.ts'
import { createSealing } from '../../src/sealing.ts'
import { createVaultKeys, VaultKeysError, type VaultKey } from '../../src/vault-keys.ts'
import { createTestDatabase } from '../helpers/database.ts'

test('a key of the same name and other bytes is refused, and so is the lack of one that is in use', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = createDatabase({ database: { url, pool: 2 } }, createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  const prove = (...keys: VaultKey[]) =>
    createVaultKeys({ database, clock: systemClock, sealing: createSealing(keys), keys }).prove()
  const keyOf = (name: string) => ({ name, key: randomBytes(32) })
  const [first, second] = [keyOf('first'), keyOf('second')]
  await prove(first)
  await prove(first)
  await t.throwsAsync(prove(keyOf('first')), { instanceOf: VaultKeysError })
  await t.throwsAsync(prove(second), { instanceOf: VaultKeysError })
  await prove(second, first)
  await t.throwsAsync(prove(second, keyOf('first')), { instanceOf: VaultKeysError })
  await prove(first, second)
})
