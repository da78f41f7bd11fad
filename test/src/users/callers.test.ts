// @promise keys
import test from 'ava'
import { newId } from '../../../src/ids.ts'
import { createAccessTokens } from '../../../src/users/access-tokens.ts'
import { requireScope } from '../../../src/users/caller.ts'
import { usersForFile } from './open-users.ts'

const open = usersForFile(test)

test("a well-signed token of nobody, or of another person's login, is invalid", async (t) => {
  const { clock, config, enter, callerOf, database } = await open()
  const ada = await enter()
  const bob = await enter()
  const tokens = createAccessTokens({ clock, config })
  const loginId = ada.caller.loginId ?? ''
  for (const userId of [newId(), bob.caller.userId])
    t.like(await t.throwsAsync(callerOf(await tokens.sign({ userId, loginId }, 60))), { code: 'INVALID_TOKEN' })
  await database('users').delete().where({ id: ada.caller.userId })
  t.like(await t.throwsAsync(callerOf(ada.accessToken)), { code: 'INVALID_TOKEN' })
})

test('an API key is shown once and stands for its owner, with its scopes only', async (t) => {
  const { users, clock, enter, callerOf } = await open()
  const { caller } = await enter()
  const { key, ...made } = await users.apiKeys.create(caller, { name: ' ci ', scopes: ['read'] }, async () => 3)
  t.regex(key, /^sy_key_[\w-]{43}$/)
  t.like(made, { name: 'ci', scopes: ['read'], createdAt: clock.now(), expiresAt: null, lastUsedAt: null })
  t.like(await users.apiKeys.list(caller, { limit: 10 }), { items: { 0: made }, nextCursor: null })
  const { loginId: _, ...common } = caller
  const byKey = await callerOf(key)
  t.deepEqual(byKey, { ...common, scopes: ['read'], via: 'api-key', apiKeyId: made.id })
  t.notThrows(() => requireScope(byKey, 'read'))
  const error = t.throws(() => requireScope(byKey, 'write'))
  t.like(error, { code: 'PERMISSION_DENIED' })
})

test('a deleted key is revoked, an expired one expired, an unknown one invalid', async (t) => {
  const { users, clock, enter, callerOf } = await open()
  const { caller } = await enter()
  const deleted = await users.apiKeys.create(caller, { name: 'a', scopes: ['read'] }, async () => 3)
  const expiresAt = new Date(clock.now().getTime() + 5000)
  const expiring = await users.apiKeys.create(caller, { name: 'b', scopes: ['read'], expiresAt }, async () => 3)
  await users.apiKeys.remove(caller, deleted.id)
  t.like(await callerOf(expiring.key), { apiKeyId: expiring.id })
  clock.forward(5)
  t.like(await t.throwsAsync(callerOf(deleted.key)), { code: 'TOKEN_REVOKED' })
  t.like(await t.throwsAsync(callerOf(expiring.key)), { code: 'TOKEN_EXPIRED' })
  for (const unknown of [`sy_key_${'A'.repeat(43)}`, 'sy_key_', `${expiring.key}x`])
    t.like(await t.throwsAsync(callerOf(unknown)), { code: 'INVALID_TOKEN' })
  t.deepEqual(
    (await users.apiKeys.list(caller, { limit: 10 })).items.map(({ name }) => name),
    ['b'],
  )
})

test('parallel requests cannot make more keys than the tier allows; deleted and expired ones make room', async (t) => {
  const { users, clock, enter } = await open()
  const { caller } = await enter()
  const expiresAt = new Date(clock.now().getTime() + 1000)
  const create = (more = {}) => users.apiKeys.create(caller, { name: 'k', scopes: ['read'], ...more }, async () => 3)
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => create({ expiresAt })))
  t.is(results.filter(({ status }) => status === 'fulfilled').length, 3)
  for (const result of results)
    if (result.status === 'rejected') t.like(result.reason, { code: 'FEATURE_LIMIT_REACHED' })
  clock.forward(1)
  const [{ id }] = [await create(), await create(), await create()]
  t.like(await t.throwsAsync(create()), { code: 'FEATURE_LIMIT_REACHED' })
  await users.apiKeys.remove(caller, id)
  t.like(await create(), { name: 'k' })
})

test('the last use is noted at most once a minute', async (t) => {
  const { users, clock, enter, callerOf } = await open()
  const { caller } = await enter()
  const { key } = await users.apiKeys.create(caller, { name: 'ci', scopes: ['read'] }, async () => 3)
  const lastUsed = async () => (await users.apiKeys.list(caller, { limit: 1 })).items[0]?.lastUsedAt
  const start = clock.now()
  await callerOf(key)
  clock.forward(59)
  await callerOf(key)
  t.deepEqual(await lastUsed(), start)
  clock.forward(1)
  await callerOf(key)
  t.deepEqual(await lastUsed(), clock.now())
})
