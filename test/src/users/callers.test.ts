// @promise keys
import test from 'ava'
import { tiers } from '../../../src/billing/tiers.ts'
import { newId } from '../../../src/ids.ts'
import { createAccessTokens } from '../../../src/users/access-tokens.ts'
import { requireScope } from '../../../src/users/caller.ts'
import { password, usersForFile } from './open-users.ts'

const open = usersForFile(test)

test('an access token is expired after its time', async (t) => {
  const { users, clock, enter, callerOf } = await open()
  const { email } = await enter()
  const { accessToken, expiresIn } = await users.logins.open({ email, password, ttlSeconds: 1 })
  t.is(expiresIn, 1)
  t.like(await callerOf(accessToken), { email })
  clock.forward(2)
  t.like(await t.throwsAsync(callerOf(accessToken)), { code: 'TOKEN_EXPIRED' })
})

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
  t.like(made, {
    name: 'ci',
    scopes: ['read'],
    createdAt: clock.now(),
    expiresAt: null,
    lastUsedAt: null,
  })
  t.like(await users.apiKeys.list(caller, { limit: 10 }), { items: { 0: made }, nextCursor: null })
  const byKey = await callerOf(key)
  t.deepEqual(byKey, {
    userId: caller.userId,
    email: caller.email,
    allowance: { tier: 'free', features: tiers.free.features, limits: tiers.free.limits },
    termsAccepted: false,
    admin: false,
    isClosing: false,
    reach: caller.reach,
    scopes: ['read'],
    via: 'api-key',
    apiKeyId: made.id,
  })
  t.notThrows(() => requireScope(byKey, 'read'))
  t.like(
    t.throws(() => requireScope(byKey, 'write')),
    { code: 'PERMISSION_DENIED' },
  )
})

test('an API key cannot manage the account', async (t) => {
  const { users, enter, callerOf } = await open()
  const { caller } = await enter()
  const { id, key } = await users.apiKeys.create(caller, { name: 'ci', scopes: ['read', 'write'] }, async () => 3)
  const byKey = await callerOf(key)
  const attempts = [
    () => users.apiKeys.create(byKey, { name: 'more', scopes: ['write'] }, async () => 3),
    () => users.apiKeys.list(byKey, { limit: 1 }),
    () => users.apiKeys.remove(byKey, id),
    () => users.logins.end(byKey),
    () => users.logins.endAll(byKey),
    () => users.acceptTerms(byKey),
    () => users.changePassword(byKey, { currentPassword: 'x', newPassword: 'another long secret' }, '192.0.2.1'),
  ]
  for (const attempt of attempts) t.like(await t.throwsAsync(attempt), { code: 'PERMISSION_DENIED' })
  t.is((await users.me(byKey)).id, caller.userId)
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
  const results = await Promise.allSettled([
    create({ expiresAt }),
    ...Array.from({ length: 7 }, () => create({ expiresAt })),
  ])
  t.is(results.filter(({ status }) => status === 'fulfilled').length, 3)
  for (const result of results)
    if (result.status === 'rejected') t.like(result.reason, { code: 'FEATURE_LIMIT_REACHED' })
  clock.forward(1)
  const { id } = await create()
  await create()
  await create()
  t.like(await t.throwsAsync(create()), { code: 'FEATURE_LIMIT_REACHED' })
  await users.apiKeys.remove(caller, id)
  t.like(await create(), { name: 'k' })
  t.like(await users.apiKeys.create(caller, { name: 'k', scopes: ['read'] }, async () => Number.POSITIVE_INFINITY), {
    name: 'k',
  })
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
