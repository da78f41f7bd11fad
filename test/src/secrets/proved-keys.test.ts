import { randomBytes } from 'node:crypto'
import test from 'ava'
import { systemClock } from '../../../src/clock.ts'
import { createDatabase } from '../../../src/database/database.ts'
import { createLogger } from '../../../src/logger.ts'
import { createSealing } from '../../../src/secrets/sealing.ts'
import { createVaultKeys, VaultKeysError, type VaultKey } from '../../../src/secrets/vault-keys.ts'
import { createTestDatabase } from '../../helpers/database.ts'

test('a key of the same name and other bytes is refused, and so is the lack of one that is in use', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = createDatabase({ database: { url, pool: 2 } }, createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  const prove = (...keys: VaultKey[]) =>
    createVaultKeys({ database, clock: systemClock, sealing: createSealing(keys), keys }).prove()
  const keyOf = (name: string) => ({ name, key: randomBytes(32) })
  const [first, second] = [keyOf('first'), keyOf('second')]
  const refused = async (message: RegExp, ...keys: VaultKey[]) => {
    const error = await t.throwsAsync(prove(...keys), { instanceOf: VaultKeysError, message })
    t.is(error?.problems.length, 1)
  }
  const isAnother = /The key "first" in VAULT_KEYS is not the key "first" that this database was written with\./
  await prove(first)
  await prove(first)
  await refused(isAnother, keyOf('first'))
  await refused(/The key "first" is in use, but VAULT_KEYS does not list it\./, second)
  await prove(second, first)
  await refused(isAnother, second, keyOf('first'))
  await prove(first, second)
})
