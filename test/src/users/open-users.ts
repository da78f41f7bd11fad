import { createAllowances } from '../../../src/billing/allowances.ts'
import { randomUUID } from 'node:crypto'
import type { ExecutionContext, TestFn } from 'ava'
import { databaseClock } from '../../../src/clock.ts'
import { createDatabase } from '../../../src/database/database.ts'
import { createLogger } from '../../../src/logger.ts'
import { createOutbox } from '../../../src/outbox/outbox.ts'
import { createDue } from '../../../src/runs/due.ts'
import { createRateLimits } from '../../../src/rate-limit.ts'
import { createSealing } from '../../../src/secrets/sealing.ts'
import type { Caller } from '../../../src/users/caller.ts'
import { createUsers } from '../../../src/users/users.ts'
import { movableClock } from '../../helpers/clock.ts'
import { testConfig } from '../../helpers/config.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { cheapCost } from '../../helpers/passwords.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

export const password = 'correct horse battery'

/** Opens the users of one database for all tests of a file; each test has a clock and people of its own. */
export function usersForFile(test: TestFn) {
  const base = forWholeFile(test, 'users', openBase)
  return async () => usersOf(await base())
}

/** The users of a database of this test's own, where it counts queries or waits for locks. */
export const openUsers = async (t: ExecutionContext) => usersOf(await openBase(t))

async function openBase(t: ExecutionContext) {
  const { url } = await createTestDatabase(t)
  const config = testConfig(url)
  const logger = createLogger('silent', 'test')
  const database = createDatabase(config, logger)
  t.teardown(() => database.destroy())
  const sealing = createSealing(config.vaultKeys)
  const outbox = createOutbox({ database, clock: databaseClock, config, sealing })
  const rateLimits = createRateLimits({ database, config })
  const due = createDue({ database, clock: databaseClock })
  return { database, config, logger, outbox, rateLimits, sealing, due, allowances: createAllowances({ config }) }
}

function usersOf(base: Awaited<ReturnType<typeof openBase>>) {
  const clock = movableClock()
  const users = createUsers({ ...base, clock, passwordCost: cheapCost })

  /** Registers a person, with an address of her own unless one is given, and logs in. */
  async function enter(email = `${randomUUID()}@example.com`) {
    await users.register({ email, password })
    const tokens = await users.logins.open({ email, password })
    return { ...tokens, email, caller: await callerOf(tokens.accessToken) }
  }
  const callerOf = (token: string): Promise<Caller> => users.authenticate(`Bearer ${token}`)
  return { ...base, users, clock, enter, callerOf }
}
