// @promise logins
import test from 'ava'
import type { Database, Transaction } from '../../../src/database/database.ts'
import { createServices } from '../../../src/services.ts'
import { User } from '../../../src/users/user.ts'
import { CodedError } from '../../../src/errors.ts'
import { newId } from '../../../src/ids.ts'
import { invite } from '../../../src/users/invite.ts'
import { createUsers } from '../../../src/users/users.ts'
import { cheapCost } from '../../helpers/passwords.ts'
import { openUsers, password, usersForFile } from './open-users.ts'

const open = usersForFile(test)
const address = '192.0.2.1'

test('a registered person logs in, under any spelling of the address, and is recognised', async (t) => {
  const { users, callerOf } = await open()
  const made = await users.register({ email: '  Zoe\u0301@Example.COM ', password })
  t.is(made.email, 'zo\u00e9@example.com')
  const tokens = await users.logins.open({ email: 'ZO\u00c9@example.com', password })
  t.like(tokens, { tokenType: 'Bearer', expiresIn: 900 })
  const caller = await callerOf(tokens.accessToken)
  t.like(caller, { userId: made.id, email: made.email, termsAccepted: false, via: 'login' })
  t.deepEqual(caller.scopes, ['read', 'write', 'decide'])
  t.deepEqual(await users.me(caller), made)
})

test('where registration is closed nobody gets an account, and those who have one log in', async (t) => {
  const { enter, ...base } = await open()
  const { database, config } = base
  const { email, caller } = await enter()
  const closedConfig = { ...config, auth: { ...config.auth, registration: 'closed' as const } }
  const closed = createUsers({ ...base, config: closedConfig, passwordCost: cheapCost })
  const error = await t.throwsAsync(closed.register({ email: 'late@example.com', password }))
  t.like(error, { code: 'PERMISSION_DENIED' })
  t.regex(error?.message ?? '', /platform operator/)
  const invitation = (await invite(base, 'late@example.com'))?.token ?? ''
  const invited = closed.register({ email: 'late@example.com', password, invitation })
  t.like(await t.throwsAsync(invited), { code: 'PERMISSION_DENIED' })
  t.deepEqual(await database('users').where({ email: 'late@example.com' }), [])
  const { accessToken } = await closed.logins.open({ email, password })
  t.is((await closed.authenticate(`Bearer ${accessToken}`)).userId, caller.userId)
})

// @promise roles
test('where an invitation is needed it makes one account, for its own address, within a week', async (t) => {
  const { enter: _, ...base } = await open()
  const { database, config, clock } = base
  const invited = createUsers({
    ...base,
    config: { ...config, auth: { ...config.auth, registration: 'invited' as const } },
    passwordCost: cheapCost,
  })
  const refusal = async (email: string, invitation?: string) =>
    (await t.throwsAsync(invited.register({ email, password, invitation }), { instanceOf: CodedError }))?.code
  const inviteTo = async (email: string) => (await invite({ database, clock }, email))?.token ?? ''
  t.is(await invite({ database, clock }, 'no address'), undefined)

  const other = await inviteTo('hans@example.com')
  const first = await inviteTo('Grete@example.com')
  const token = await inviteTo('grete@example.com')
  t.is(await refusal('grete@example.com'), 'PERMISSION_DENIED')
  t.is(await refusal('grete@example.com', first), 'INVALID_TOKEN', 'it was replaced')
  t.is(await refusal('eve@example.com', token), 'INVALID_TOKEN', 'it is for another address')
  const attempts = [1, 2, 3].map(() => invited.register({ email: 'grete@example.com', password, invitation: token }))
  t.is((await Promise.allSettled(attempts)).filter(({ status }) => status === 'fulfilled').length, 1)
  t.is(await refusal('grete@example.com', token), 'INVALID_TOKEN', 'it was used')
  const hans = await invited.register({ email: 'hans@example.com', password, invitation: other })
  t.is(hans.email, 'hans@example.com', 'that of somebody else is good')

  const late = await inviteTo('late@example.com')
  clock.forward(7 * 86_400)
  t.is(await refusal('late@example.com', late), 'TOKEN_EXPIRED')
  t.deepEqual(await database('users').whereIn('email', ['late@example.com', 'eve@example.com']), [])
})

test('a taken address is refused, also between parallel registrations', async (t) => {
  const { users, database } = await open()
  const emails = ['ada@example.com', 'ADA@example.com', ' ada@example.com']
  const results = await Promise.allSettled(emails.map((email) => users.register({ email, password })))
  t.is(results.filter(({ status }) => status === 'fulfilled').length, 1)
  const error = await t.throwsAsync(users.register({ email: 'ada@example.com', password }))
  t.like(error, { code: 'VALIDATION_ERROR', details: [{ path: 'email', message: 'Is taken.' }] })
  t.is((await database('users').where({ email: 'ada@example.com' })).length, 1)
})

test('what is no address is refused, and nobody can log in with it', async (t) => {
  const { users } = await open()
  const email = 'a\0b@example.com'
  const error = await t.throwsAsync(users.register({ email, password }))
  t.like(error, { code: 'VALIDATION_ERROR', details: { 0: { path: 'email' } } })
  t.like(await t.throwsAsync(users.logins.open({ email, password })), { code: 'UNAUTHORIZED' })
})

test('an unknown address and a wrong password are answered alike', async (t) => {
  const { users, enter } = await open()
  const { email } = await enter()
  const unknown = await t.throwsAsync(users.logins.open({ email: 'bob@example.com', password }))
  const wrong = await t.throwsAsync(users.logins.open({ email, password: `${password}!` }))
  const giant = await t.throwsAsync(users.logins.open({ email, password: 'x'.repeat(200_000) }))
  for (const error of [unknown, wrong, giant]) t.like(error, { code: 'UNAUTHORIZED', message: unknown.message })
})

test('logging out everywhere ends all logins of this person only, and one can log in again in the same second', async (t) => {
  const { users, enter, callerOf } = await open()
  const ada = await enter()
  const elsewhere = await users.logins.open({ email: ada.email, password })
  const bob = await enter()
  await users.logins.endAll(ada.caller)
  for (const { accessToken } of [ada, elsewhere])
    t.like(await t.throwsAsync(callerOf(accessToken)), { code: 'TOKEN_REVOKED' })
  t.like(await t.throwsAsync(users.logins.refresh(elsewhere)), { code: 'TOKEN_REVOKED' })
  t.is((await callerOf(bob.accessToken)).email, bob.email)
  const again = await users.logins.open({ email: ada.email, password })
  t.is((await callerOf(again.accessToken)).userId, ada.caller.userId)
})

test('changing the password ends the other logins and the old password', async (t) => {
  const { users, enter, callerOf } = await open()
  const here = await enter()
  const elsewhere = await users.logins.open({ email: here.email, password })
  const newPassword = 'another long secret'
  const wrong = users.changePassword(here.caller, { currentPassword: 'not the right one', newPassword }, address)
  t.like(await t.throwsAsync(wrong), { code: 'UNAUTHORIZED' })
  await users.changePassword(here.caller, { currentPassword: password, newPassword }, address)
  t.is((await callerOf(here.accessToken)).email, here.email)
  t.like(await t.throwsAsync(callerOf(elsewhere.accessToken)), { code: 'TOKEN_REVOKED' })
  t.like(await t.throwsAsync(users.logins.open({ email: here.email, password })), { code: 'UNAUTHORIZED' })
  t.like(await users.logins.open({ email: here.email, password: newPassword }), { tokenType: 'Bearer' })
})

/** Returns when somebody waits for a lock in a database of a test's own. */
async function somebodyWaits(database: Database): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  for (let looks = 0; looks < 2000 && (await database.raw(waiting)).rowCount === 0; looks += 1);
}

/** What another process has done, but not committed, when a request comes. */
const overtakers: Record<string, (trx: Transaction, userId: string) => Promise<unknown>> = {
  'a change of the password': (trx) => trx('users').update({ passwordHash: 'another one' }),
  async 'the confirmation of an app'(trx, userId) {
    await trx('users').where({ id: userId }).forNoKeyUpdate()
    const now = new Date()
    const app = { id: newId(), userId, secret: 'sealed', createdAt: now, confirmedAt: now }
    await trx('second_factors').insert(app)
  },
}

for (const [what, overtake] of Object.entries(overtakers))
  test(`a login that meets ${what} waits for it, and is refused`, async (t) => {
    const { users, database, enter } = await openUsers(t)
    const { email, caller } = await enter()
    const earlier = await database.transaction()
    await overtake(earlier, caller.userId)
    const login = t.throwsAsync(users.logins.open({ email, password }))
    await somebodyWaits(database)
    await earlier.commit()
    t.like(await login, { code: 'UNAUTHORIZED' })
  })

test('a password change that meets another one waits for it, is refused, and overwrites nothing', async (t) => {
  const { users, database, enter } = await openUsers(t)
  const { caller } = await enter()
  const earlier = await database.transaction()
  await overtakers['a change of the password']?.(earlier, caller.userId)
  const change = { currentPassword: password, newPassword: 'another long secret' }
  const later = t.throwsAsync(users.changePassword(caller, change, address))
  await somebodyWaits(database)
  await earlier.commit()
  t.like(await later, { code: 'UNAUTHORIZED', message: 'Your password was changed during this request.' })
  t.is((await User.query(database).findById(caller.userId))?.passwordHash, 'another one')
})

test('accepted terms are recorded with version and time, and newer ones must be accepted anew', async (t) => {
  const { users, enter, callerOf, ...base } = await open()
  const { clock, config } = base
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
  const later = createUsers({ ...base, config: newer, passwordCost: cheapCost })
  t.false((await later.authenticate(`Bearer ${accessToken}`)).termsAccepted)
  await later.acceptTerms(caller)
  t.true((await later.authenticate(`Bearer ${accessToken}`)).termsAccepted)
})

// @promise passwords
test('unless a test says otherwise, passwords are hashed at the cost that OWASP names', async (t) => {
  const { config, logger } = await open()
  const services = createServices(config, logger)
  t.teardown(() => services.close())
  const { id } = await services.users.register({ email: 'grace@example.com', password })
  const row = await User.query(services.database).findById(id)
  t.true(row?.passwordHash?.startsWith('$argon2id$v=19$m=19456,t=2,p=1$'))
})

test('a refresh token is exchanged for a new pair of the same login, once; to use it again ends the login', async (t) => {
  const { users, enter, callerOf } = await open()
  const first = await enter()
  const second = await users.logins.refresh({ refreshToken: first.refreshToken, ttlSeconds: 30 })
  t.is(second.expiresIn, 30)
  t.is((await callerOf(second.accessToken)).loginId, first.caller.loginId)
  t.like(await t.throwsAsync(users.logins.refresh(first)), { code: 'TOKEN_REVOKED' })
  t.like(await t.throwsAsync(users.logins.refresh(second)), { code: 'TOKEN_REVOKED' })
  t.like(await t.throwsAsync(callerOf(second.accessToken)), { code: 'TOKEN_REVOKED' })
})

test('of parallel uses of one refresh token one succeeds and the login ends', async (t) => {
  const { users, enter, callerOf } = await open()
  const first = await enter()
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => users.logins.refresh(first)))
  t.is(results.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const result of results) if (result.status === 'rejected') t.like(result.reason, { code: 'TOKEN_REVOKED' })
  t.like(await t.throwsAsync(callerOf(first.accessToken)), { code: 'TOKEN_REVOKED' })
})

test('a refresh token expires after the configured days, and using one in time starts them anew', async (t) => {
  const { users, clock, enter } = await open()
  let tokens: { refreshToken: string } = await enter()
  for (const _ of ['first', 'second']) {
    clock.forward(29 * 86_400)
    tokens = await users.logins.refresh(tokens)
  }
  clock.forward(30 * 86_400)
  t.like(await t.throwsAsync(users.logins.refresh(tokens)), { code: 'TOKEN_EXPIRED' })
})

test('what was never a refresh token is invalid', async (t) => {
  const { users, enter } = await open()
  const { accessToken } = await enter()
  for (const refreshToken of [accessToken, `sy_refresh_${'A'.repeat(43)}`, `sy_key_${'A'.repeat(43)}`])
    t.like(await t.throwsAsync(users.logins.refresh({ refreshToken })), { code: 'INVALID_TOKEN' })
})

test('no secret is stored as it is', async (t) => {
  const { users, database, enter } = await open()
  const { caller, refreshToken } = await enter()
  const { key } = await users.apiKeys.create(caller, { name: 'ci', scopes: ['read'] }, async () => 3)
  const tables = ['users', 'logins', 'refresh_tokens', 'api_keys']
  const stored = JSON.stringify(await Promise.all(tables.map((table) => database(table).select('*'))))
  for (const secret of [refreshToken, key, 'correct horse'])
    t.false(stored.includes(secret) || stored.includes(secret.slice(-20)))
})
