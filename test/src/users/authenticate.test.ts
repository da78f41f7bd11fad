import test from 'ava'
import { newId } from '../../../src/ids.ts'
import { createAccessTokens } from '../../../src/users/access-tokens.ts'
import { openUsers, password } from './open-users.ts'

test('a request without a bearer token is unauthorized', async (t) => {
  const { users } = await openUsers(t)
  for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic YWRhOnNlY3JldA==', 'Token abc', 'Bearertoken'])
    t.like(await t.throwsAsync(users.authenticate(header)), { code: 'UNAUTHORIZED' })
})

test('a bearer token that is not ours, or is too long to be, is invalid', async (t) => {
  const { users } = await openUsers(t)
  const long = `Bearer ${'a'.repeat(1_000_000)}`
  for (const header of ['Bearer abc', 'Bearer a b', 'bearer a.b.c', 'Bearer \0', 'Bearer [object Object]', long])
    t.like(await t.throwsAsync(users.authenticate(header)), { code: 'INVALID_TOKEN' })
})

test('the scheme may be written in any case', async (t) => {
  const { users, enter } = await openUsers(t)
  const { accessToken, caller } = await enter()
  t.deepEqual(await users.authenticate(`bearer ${accessToken}`), caller)
  t.deepEqual(await users.authenticate(`BEARER   ${accessToken}`), caller)
})

test('an access token is expired after its time', async (t) => {
  const { users, clock, enter, callerOf } = await openUsers(t)
  await enter()
  const { accessToken, expiresIn } = await users.login({ email: 'ada@example.com', password, ttlSeconds: 1 })
  t.is(expiresIn, 1)
  t.like(await callerOf(accessToken), { email: 'ada@example.com' })
  clock.forward(2)
  t.like(await t.throwsAsync(callerOf(accessToken)), { code: 'TOKEN_EXPIRED' })
})

test("a well-signed token of nobody, or of another person's login, is invalid", async (t) => {
  const { clock, config, enter, callerOf, database } = await openUsers(t)
  const ada = await enter()
  const bob = await enter('bob@example.com')
  const tokens = createAccessTokens({ clock, config })
  const loginId = ada.caller.loginId ?? ''
  for (const userId of [newId(), bob.caller.userId])
    t.like(await t.throwsAsync(callerOf(await tokens.sign({ userId, loginId }, 60))), { code: 'INVALID_TOKEN' })
  await database('users').delete().where({ id: ada.caller.userId })
  t.like(await t.throwsAsync(callerOf(ada.accessToken)), { code: 'INVALID_TOKEN' })
})

test('recognising a caller is one query', async (t) => {
  const { users, database, enter, callerOf } = await openUsers(t)
  const { accessToken, caller } = await enter()
  const { key } = await users.apiKeys.create(caller, { name: 'ci', scopes: ['read'] }, 3)
  await callerOf(key)
  const queries: string[] = []
  database.on('query', ({ sql }: { sql: string }) => queries.push(sql))
  await callerOf(accessToken)
  t.is(queries.length, 1)
  await callerOf(key)
  t.is(queries.length, 2)
})
