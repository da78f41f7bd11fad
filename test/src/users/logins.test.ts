import test from 'ava'
import { openUsers } from './open-users.ts'

test('a refresh token is exchanged for a new pair of the same login', async (t) => {
  const { users, enter, callerOf } = await openUsers(t)
  const first = await enter()
  const second = await users.refresh({ refreshToken: first.refreshToken, ttlSeconds: 30 })
  t.not(second.refreshToken, first.refreshToken)
  t.is(second.expiresIn, 30)
  t.is((await callerOf(second.accessToken)).loginId, first.caller.loginId)
  t.like(await users.refresh(second), { tokenType: 'Bearer', expiresIn: 900 })
})

test('a used refresh token ends the login, with everything that came from it', async (t) => {
  const { users, enter, callerOf } = await openUsers(t)
  const first = await enter()
  const second = await users.refresh(first)
  t.like(await t.throwsAsync(users.refresh(first)), { code: 'TOKEN_REVOKED' })
  t.like(await t.throwsAsync(users.refresh(second)), { code: 'TOKEN_REVOKED' })
  t.like(await t.throwsAsync(callerOf(second.accessToken)), { code: 'TOKEN_REVOKED' })
})

test('of parallel uses of one refresh token one succeeds and the login ends', async (t) => {
  const { users, enter, callerOf } = await openUsers(t)
  const first = await enter()
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => users.refresh(first)))
  t.is(results.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const result of results) if (result.status === 'rejected') t.like(result.reason, { code: 'TOKEN_REVOKED' })
  t.like(await t.throwsAsync(callerOf(first.accessToken)), { code: 'TOKEN_REVOKED' })
})

test('a refresh token expires after the configured days, and using one in time starts them anew', async (t) => {
  const { users, clock, enter } = await openUsers(t)
  const first = await enter()
  clock.forward(29 * 86_400)
  const second = await users.refresh(first)
  clock.forward(29 * 86_400)
  const third = await users.refresh(second)
  clock.forward(30 * 86_400)
  t.like(await t.throwsAsync(users.refresh(third)), { code: 'TOKEN_EXPIRED' })
})

test('used refresh tokens are forgotten once they are past their time', async (t) => {
  const { users, clock, database, enter } = await openUsers(t)
  let tokens: { refreshToken: string } = await enter()
  for (let round = 0; round < 6; round += 1) {
    clock.forward(20 * 86_400)
    tokens = await users.refresh(tokens)
  }
  const rows = await database('refresh_tokens').select('consumedAt')
  t.is(rows.length, 2)
  t.is(rows.filter(({ consumedAt }) => consumedAt === null).length, 1)
})

test('what was never a refresh token is invalid', async (t) => {
  const { users, enter } = await openUsers(t)
  const { accessToken } = await enter()
  for (const refreshToken of [
    '',
    accessToken,
    'sy_refresh_',
    `sy_refresh_${'A'.repeat(43)}`,
    `sy_key_${'A'.repeat(43)}`,
    '\0',
  ])
    t.like(await t.throwsAsync(users.refresh({ refreshToken })), { code: 'INVALID_TOKEN' })
})

test('a refused lifetime does not use the refresh token up', async (t) => {
  const { users, enter } = await openUsers(t)
  const first = await enter()
  t.like(await t.throwsAsync(users.refresh({ ...first, ttlSeconds: 0 })), { code: 'VALIDATION_ERROR' })
  t.like(await users.refresh(first), { tokenType: 'Bearer' })
})

test('no secret is stored as it is', async (t) => {
  const { users, database, enter } = await openUsers(t)
  const { caller, refreshToken } = await enter()
  const { key } = await users.apiKeys.create(caller, { name: 'ci', scopes: ['read'] }, 3)
  const tables = ['users', 'logins', 'refresh_tokens', 'api_keys']
  const stored = JSON.stringify(await Promise.all(tables.map((table) => database(table).select('*'))))
  for (const secret of [refreshToken, key, 'correct horse'])
    t.false(stored.includes(secret) || stored.includes(secret.slice(-20)))
})
