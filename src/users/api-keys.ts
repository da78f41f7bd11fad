import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { assertThat, type ErrorDetail } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { ApiKey } from './api-key.ts'
import { requireLogin, scopes, type Caller, type Scope } from './caller.ts'
import { endSessions } from '../sessions/session.ts'
import { hashToken, newToken } from '../secrets/opaque-tokens.ts'
import { lockOwner } from './user.ts'

interface NewApiKey {
  name: string
  scopes: readonly Scope[]
  expiresAt?: Date | undefined
}

/** API keys of users: for programs, with some of the owner's rights. Only logins manage them (`requireLogin`). */
export function createApiKeys(context: { database: Database; clock: Clock }) {
  const { database, clock } = context

  /** The caller's keys that are not deleted, newest first. */
  async function list(caller: Caller, request: PageRequest): Promise<Page<ApiKey>> {
    requireLogin(caller)
    const mine = ApiKey.query(database).where({ userId: caller.userId }).whereNull('revokedAt')
    return page(mine, { list: 'keys', time: 'createdAt', ...request })
  }

  /**
   * Creates a key and returns it in plain, this one time. `limit` is how many live keys the caller's tier allows:
   * FEATURE_LIMIT_REACHED beyond. VALIDATION_ERROR for an invalid name, scopes or expiry.
   */
  async function create(caller: Caller, wanted: NewApiKey, limit: number): Promise<ApiKey & { key: string }> {
    requireLogin(caller)
    const fields = readNewApiKey(wanted, clock.now())
    const key = newToken('key')
    const made = { id: newId(), userId: caller.userId, ...fields, keyHash: hashToken(key), createdAt: clock.now() }
    const row = ApiKey.fromJson({ ...made, lastUsedAt: null, revokedAt: null })
    await database.transaction(async (trx) => {
      // Locks the user's row, so that parallel requests cannot exceed the limit together.
      await lockOwner(trx, caller.userId)
      assertThat((await countLive(trx, caller.userId)) < limit, 'FEATURE_LIMIT_REACHED', {
        message: `Your tier allows ${limit} API keys. Delete one, or choose a higher tier.`,
      })
      await ApiKey.query(trx).insert(row)
    })
    return Object.assign(row, { key })
  }

  /**
   * Deletes one of the caller's keys, and ends the sessions that were made with it; using it then fails with
   * TOKEN_REVOKED. NOT_FOUND.
   */
  async function remove(caller: Caller, id: string): Promise<void> {
    requireLogin(caller)
    const { userId } = caller
    await database.transaction(async (trx) => {
      await lockOwner(trx, userId)
      const live = ApiKey.query(trx).where({ id, userId }).whereNull('revokedAt')
      const changed = isId(id) ? await live.patch({ revokedAt: clock.now() }) : 0
      assertThat(changed === 1, 'NOT_FOUND', { message: 'There is no API key with this identifier.' })
      await endSessions(trx, { ownerId: userId, apiKeyId: id }, clock.now())
    })
  }

  /** Expired keys do not count. */
  const countLive = (trx: Database, userId: string) =>
    ApiKey.query(trx)
      .where({ userId })
      .whereNull('revokedAt')
      .where((row) => void row.whereNull('expiresAt').orWhere('expiresAt', '>', clock.now()))
      .resultSize()

  return { list, create, remove }
}

/** The columns of a new key; a VALIDATION_ERROR names every problem. */
function readNewApiKey(wanted: NewApiKey, now: Date) {
  const name = wanted.name.normalize('NFC').trim()
  const expiresAt = wanted.expiresAt ?? null
  const details: ErrorDetail[] = []
  if (!/^\P{C}{1,100}$/u.test(name)) details.push({ path: 'name', message: 'Must be 1 to 100 printable characters.' })
  if (wanted.scopes.length === 0 || !wanted.scopes.every((scope) => scopes.includes(scope)))
    details.push({ path: 'scopes', message: 'Must name "read", "write" or both.' })
  if (expiresAt !== null && !(expiresAt > now)) details.push({ path: 'expiresAt', message: 'Must be in the future.' })
  assertThat(details.length === 0, 'VALIDATION_ERROR', { message: 'The API key is not valid.', details })
  return { name, scopes: scopes.filter((scope) => wanted.scopes.includes(scope)), expiresAt }
}
