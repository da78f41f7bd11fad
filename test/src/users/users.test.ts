import test from 'ava'
import { createLogger } from '../../../src/logger.ts'
import { createServices } from '../../../src/services.ts'
import { UserRow } from '../../../src/users/user.ts'
import { createUsers } from '../../../src/users/users.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { cheapCost } from '../../helpers/passwords.ts'
import { openUsers, password, testConfig } from './open-users.ts'

test('a registered person logs in, under any spelling of the address, and is recognised', async (t) => {
  const { users, callerOf } = await openUsers(t)
  const made = await users.register({ email: '  Zoe\u0301@Example.COM ', password })
  t.is(made.email, 'zo\u00e9@example.com')
  const tokens = await users.login({ email: 'ZO\u00c9@example.com', password })
  t.like(tokens, { tokenType: 'Bearer', expiresIn: 900 })
  const caller = await callerOf(tokens.accessToken)
  t.like(caller, { userId: made.id, email: made.email, termsAccepted: false, via: 'login' })
  t.deepEqual(caller.scopes, ['read', 'write'])
  t.deepEqual(await users.me(caller), made)
})

test('a taken address is refused, also between parallel registrations', async (t) => {
  const { users, database } = await openUsers(t)
  const emails = ['ada@example.com', 'ADA@example.com', ' ada@example.com']
  const results = await Promise.allSettled(emails.map((email) => users.register({ email, password })))
  t.is(results.filter(({ status }) => status === 'fulfilled').length, 1)
  const error = await t.throwsAsync(users.register({ email: 'ada@example.com', password }))
  t.like(error, { code: 'VALIDATION_ERROR', details: [{ path: 'email', message: 'Is taken.' }] })
  const [row] = await database('users').count()
  t.deepEqual(row, { count: 1 })
})

for (const email of [
  '',
  'ada',
  'ada@host',
  '@example.com',
  'a b@example.com',
  'a\0b@example.com',
  `${'a'.repeat(250)}@b.co`,
  'a\ud800@b.co',
])
  test(`the address ${JSON.stringify(email.slice(0, 20))} is refused, and nobody can log in with it`, async (t) => {
    const { users } = await openUsers(t)
    t.like(await t.throwsAsync(users.register({ email, password })), {
      code: 'VALIDATION_ERROR',
      details: [{ path: 'email', message: 'Must be an email address of at most 254 characters.' }],
    })
    t.like(await t.throwsAsync(users.login({ email, password })), { code: 'UNAUTHORIZED' })
  })

test('an unknown address and a wrong password are answered alike', async (t) => {
  const { users, enter } = await openUsers(t)
  await enter()
  const unknown = await t.throwsAsync(users.login({ email: 'bob@example.com', password }))
  const wrong = await t.throwsAsync(users.login({ email: 'ada@example.com', password: `${password}!` }))
  const giant = await t.throwsAsync(users.login({ email: 'ada@example.com', password: 'x'.repeat(200_000) }))
  for (const error of [unknown, wrong, giant]) t.like(error, { code: 'UNAUTHORIZED', message: unknown.message })
})

test('logging out ends this login and no other', async (t) => {
  const { users, enter, callerOf } = await openUsers(t)
  const first = await enter()
  const second = await users.login({ email: 'ada@example.com', password })
  await users.logout(first.caller)
  t.like(await t.throwsAsync(callerOf(first.accessToken)), { code: 'TOKEN_REVOKED' })
  t.like(await t.throwsAsync(users.refresh(first)), { code: 'TOKEN_REVOKED' })
  t.is((await callerOf(second.accessToken)).userId, first.caller.userId)
})

test('logging out everywhere ends all logins of this person only, and one can log in again in the same second', async (t) => {
  const { users, enter, callerOf } = await openUsers(t)
  const ada = await enter()
  const elsewhere = await users.login({ email: 'ada@example.com', password })
  const bob = await enter('bob@example.com')
  await users.logoutEverywhere(ada.caller)
  for (const { accessToken } of [ada, elsewhere])
    t.like(await t.throwsAsync(callerOf(accessToken)), { code: 'TOKEN_REVOKED' })
  t.like(await t.throwsAsync(users.refresh(elsewhere)), { code: 'TOKEN_REVOKED' })
  t.is((await callerOf(bob.accessToken)).email, 'bob@example.com')
  const again = await users.login({ email: 'ada@example.com', password })
  t.is((await callerOf(again.accessToken)).userId, ada.caller.userId)
})

test('changing the password ends the other logins and the old password', async (t) => {
  const { users, enter, callerOf } = await openUsers(t)
  const here = await enter()
  const elsewhere = await users.login({ email: 'ada@example.com', password })
  const newPassword = 'another long secret'
  const wrong = users.changePassword(here.caller, { currentPassword: 'not the right one', newPassword })
  t.like(await t.throwsAsync(wrong), { code: 'UNAUTHORIZED' })
  await users.changePassword(here.caller, { currentPassword: password, newPassword })
  t.is((await callerOf(here.accessToken)).email, 'ada@example.com')
  t.like(await t.throwsAsync(callerOf(elsewhere.accessToken)), { code: 'TOKEN_REVOKED' })
  t.like(await t.throwsAsync(users.login({ email: 'ada@example.com', password })), { code: 'UNAUTHORIZED' })
  t.like(await users.login({ email: 'ada@example.com', password: newPassword }), { tokenType: 'Bearer' })
})

test('a login with the old password that meets a password change waits for it, and is refused', async (t) => {
  const { users, database, enter } = await openUsers(t)
  await enter()
  const change = await database.transaction()
  await change('users').update({ password_hash: 'another one' })
  const login = t.throwsAsync(users.login({ email: 'ada@example.com', password }))
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  for (let looks = 0; looks < 2000 && (await database.raw(waiting)).rowCount === 0; looks += 1);
  await change.commit()
  t.like(await login, { code: 'UNAUTHORIZED' })
})

test('accepted terms are recorded with version and time, and newer ones must be accepted anew', async (t) => {
  const { users, database, clock, config, logger, enter, callerOf } = await openUsers(t)
  const { caller, accessToken } = await enter()
  t.false(caller.termsAccepted)
  const acceptedAt = clock.now()
  const accepted = await users.acceptTerms(caller)
  const version = config.auth.termsVersion
  t.deepEqual(accepted.terms, { currentVersion: version, acceptedVersion: version, acceptedAt })
  t.true((await callerOf(accessToken)).termsAccepted)
  clock.forward(60)
  t.deepEqual((await users.acceptTerms(caller)).terms.acceptedAt, acceptedAt)

  const newer = { ...config, auth: { ...config.auth, termsVersion: '2027-01-01' } }
  const later = createUsers({ database, clock, config: newer, logger, passwordCost: cheapCost })
  t.false((await later.authenticate(`Bearer ${accessToken}`)).termsAccepted)
  await later.acceptTerms(caller)
  t.true((await later.authenticate(`Bearer ${accessToken}`)).termsAccepted)
})

test('unless a test says otherwise, passwords are hashed at the cost that OWASP names', async (t) => {
  const { url } = await createTestDatabase(t)
  const services = createServices(testConfig(url), createLogger('silent', 'test'))
  t.teardown(() => services.close())
  await services.users.register({ email: 'ada@example.com', password })
  const row = await UserRow.query(services.database).findOne({ email: 'ada@example.com' })
  t.true(row?.passwordHash.startsWith('$argon2id$v=19$m=19456,t=2,p=1$'))
})
