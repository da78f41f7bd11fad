import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import { readConfig } from '../../../src/config.ts'
import { createDatabase } from '../../../src/database.ts'
import { createLogger } from '../../../src/logger.ts'
import type { Caller } from '../../../src/users/caller.ts'
import { createUsers } from '../../../src/users/users.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { cheapCost } from '../../helpers/passwords.ts'

export const password = 'correct horse battery'

/** An Ed25519 key in PEM, made anew. */
export const newPrivateKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** A clock that stands still until it is moved. */
export function movableClock(start = '2026-11-21T12:00:00.000Z') {
  let time = Date.parse(start)
  return { now: () => new Date(time), forward: (seconds: number) => void (time += seconds * 1000) }
}

export function testConfig(url: string, more: Record<string, string> = {}) {
  const VAULT_KEYS = `k1:${randomBytes(32).toString('base64')}`
  return readConfig({ DATABASE_URL: url, VAULT_KEYS, JWT_PRIVATE_KEY: newPrivateKey(), ...more })
}

/** The users of a fresh database, with a clock to move. */
export async function openUsers(t: ExecutionContext) {
  const { url } = await createTestDatabase(t)
  const config = testConfig(url)
  const logger = createLogger('silent', 'test')
  const database = createDatabase(config, logger)
  t.teardown(() => database.destroy())
  const clock = movableClock()
  const users = createUsers({ database, clock, config, logger, passwordCost: cheapCost })

  /** Registers a person and logs in. */
  async function enter(email = 'ada@example.com') {
    await users.register({ email, password })
    const tokens = await users.login({ email, password })
    return { ...tokens, caller: await callerOf(tokens.accessToken) }
  }
  const callerOf = (token: string): Promise<Caller> => users.authenticate(`Bearer ${token}`)
  return { users, database, clock, config, logger, enter, callerOf }
}
