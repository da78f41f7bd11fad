import { howToGetMore } from '../billing/allowances.ts'
import type { Clock } from '../clock.ts'
import type { QueryBuilder } from 'objection'
import type { Database, Transaction } from '../database/database.ts'
import { capacityFreed } from '../owners/capacity-freed.ts'
import { assertThat, type ErrorDetail } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { ApiKey } from './api-key.ts'
import { requireLogin, scopes, type Caller, type Scope } from './caller.ts'
import { endSessions } from '../sessions/session.ts'
import { hashToken, newToken } from '../secrets/opaque-tokens.ts'
import { paidWith } from '../owners/payer.ts'
import { assertMember } from '../owners/assert-member.ts'
import { lockOwner } from './user.ts'

/** A key with its owner. */
export type OwnedKey = ApiKey & { ownerId: string }

const unknown = 'There is no API key with this id.'

interface NewApiKey {
  /** The key's workspace. Default: the creator's own things. */
  ownerId?: string
  name: string
  scopes: readonly Scope[]
  expiresAt?: Date | undefined
}

/** API keys: for programs, with some of the owner's rights. Only logins manage them (`requireLogin`). */
export function createApiKeys(context: { database: Database; clock: Clock }) {
  const { database, clock } = context

  /** An owner's keys: the caller's own, or all of a workspace. */
  const of = (db: Database, ownerId: string, { userId }: Pick<Caller, 'userId'>) =>
    ApiKey.query(db).where(ownerId === userId ? { userId, workspaceId: null } : { workspaceId: ownerId })

  /** The owner's keys, newest first, without deleted ones. */
  async function list(caller: Caller, asked: PageRequest & { ownerId?: string }): Promise<Page<ApiKey>> {
    requireLogin(caller)
    const { ownerId = caller.reach.home, ...request } = asked
    const live = of(database, ownerId, caller).whereNull('revokedAt')
    return page(live, { list: 'keys', time: 'createdAt', ...request })
  }

  /**
   * Creates a key and returns it in plain text, this one time. It has its creator's role at the owner. `limit` is the
   * tier's number of live keys: FEATURE_LIMIT_REACHED beyond. VALIDATION_ERROR for an invalid name, scope or expiry.
   */
  async function create(
    caller: Caller,
    wanted: NewApiKey,
    limitOf: (ownerId: string, trx: Transaction) => Promise<number>,
  ): Promise<ApiKey & { key: string }> {
    requireLogin(caller)
    const fields = readNewApiKey(wanted, clock.now())
    const key = newToken('key')
    const { userId, reach } = caller
    const { ownerId = reach.home } = wanted
    const workspaceId = ownerId === userId ? null : ownerId
    const own = { id: newId(), userId, workspaceId, keyHash: hashToken(key), createdAt: clock.now() }
    const row = ApiKey.fromJson({ ...own, ...fields, lastUsedAt: null, revokedAt: null, exceedingSince: null })
    await database.transaction(async (trx) => {
      // Prevents parallel requests from exceeding the limit together.
      await lockOwner(trx, ownerId)
      await assertMember(trx, ownerId, userId)
      const limit = await limitOf(ownerId, trx)
      assertThat((await countLive(trx, ownerId)) < limit, 'FEATURE_LIMIT_REACHED', {
        message: `The account has reached its limit of ${limit} API keys, including those for its workspaces. Delete one. ${howToGetMore}`,
      })
      await ApiKey.query(trx).insert(row)
    })
    return Object.assign(row, { key })
  }

  /** Deletes a key and ends its sessions. Its use then fails with TOKEN_REVOKED. NOT_FOUND. */
  async function remove(caller: Caller, id: string): Promise<void> {
    requireLogin(caller)
    const { ownerId } = await get(caller, id)
    await database.transaction(async (trx) => {
      await lockOwner(trx, ownerId)
      const changed = await ApiKey.query(trx).findById(id).whereNull('revokedAt').patch({ revokedAt: clock.now() })
      assertThat(changed === 1, 'NOT_FOUND', { message: unknown })
      await endSessions(trx, { ownerId, apiKeyId: id }, clock.now())
    })
    await capacityFreed(database, ownerId, clock.now())
  }

  /** A key that is not deleted, of an owner that the caller can see. NOT_FOUND. */
  async function get({ reach }: Pick<Caller, 'reach'>, id: string): Promise<OwnedKey> {
    const key = isId(id) ? await ApiKey.query(database).findById(id).whereNull('revokedAt') : undefined
    const ownerId = key?.workspaceId ?? key?.userId
    assertThat(key && ownerId !== undefined && reach.places.has(ownerId), 'NOT_FOUND', { message: unknown })
    return Object.assign(key, { ownerId })
  }

  /** Without expired keys. */
  const countLive = (trx: Transaction, ownerId: string) => {
    const ofPerson = (key: QueryBuilder<ApiKey>) =>
      void key.whereNull('workspaceId').whereIn('userId', paidWith(ownerId))
    return ApiKey.query(trx)
      .where((key) => void key.where(ofPerson).orWhereIn('workspaceId', paidWith(ownerId)))
      .whereNull('revokedAt')
      .where((row) => void row.whereNull('expiresAt').orWhere('expiresAt', '>', clock.now()))
      .resultSize()
  }

  return { list, create, get, remove }
}

/** The columns of a new key. A VALIDATION_ERROR lists every problem. */
function readNewApiKey(wanted: NewApiKey, now: Date) {
  const name = wanted.name.normalize('NFC').trim()
  const expiresAt = wanted.expiresAt ?? null
  const details: ErrorDetail[] = []
  if (!/^\P{C}{1,100}$/u.test(name)) details.push({ path: 'name', message: 'Must be 1 to 100 printable characters.' })
  if (wanted.scopes.length === 0 || !wanted.scopes.every((scope) => scopes.includes(scope)))
    details.push({ path: 'scopes', message: 'Must contain "read", "write" or "decide".' })
  if (expiresAt !== null && !(expiresAt > now)) details.push({ path: 'expiresAt', message: 'Must be in the future.' })
  assertThat(details.length === 0, 'VALIDATION_ERROR', { message: 'The API key is invalid.', details })
  return { name, scopes: scopes.filter((scope) => wanted.scopes.includes(scope)), expiresAt }
}
