// @promise passwords
import { randomUUID } from 'node:crypto'
import test from 'ava'
import * as accountMails from '../../api/account-mails.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as auth from '../../api/auth.ts'
import * as sessions from '../../api/sessions.ts'
import { hashToken, newToken } from '../../src/secrets/opaque-tokens.ts'
import { call } from '../helpers/client.ts'
import { movableClock } from '../helpers/clock.ts'
import { eventually } from '../helpers/eventually.ts'
import { mailsTo, resetTokenOf, tokensTo, tokenTo } from '../helpers/mailbox.ts'
import { newcomer, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { sessionOf, withToken } from '../helpers/sessions.ts'
import { sharedPlatform } from '../helpers/shared.ts'

const house = sharedPlatform(test, 'idle')

const newAddress = () => `${randomUUID()}@example.com`
const newPassword = 'a better password'
const hour = 3600

const verifiedAt = async (someone: Person) => (await call(someone, auth.me)).body.emailVerifiedAt
const verify = (client: { url: string }, token: string) =>
  call({ url: client.url }, accountMails.verifyEmail, { body: { token } })
const reset = (client: { url: string }, token: string, password = newPassword) =>
  call({ url: client.url }, accountMails.resetPassword, { body: { token, newPassword: password } })
const login = (client: { url: string }, email: string, password: string) =>
  call({ url: client.url }, auth.login, { body: { email, password } })
const change = (someone: Person, newEmail: string, currentPassword = someone.password) =>
  call(someone, accountMails.changeEmail, { body: { newEmail, currentPassword } })

test('a token for an address is good for a day, and its hash is all that is stored', async (t) => {
  const clock = movableClock(new Date().toISOString())
  const platform = await startPlatform(t, { clock })
  const { database } = platform.services
  const token = newToken('verify')
  const { id: userId } = await platform.services.users.register({ email: 'ada@example.com', password: newPassword })
  const mailed = await tokenTo(platform, 'ada@example.com')
  const stored = JSON.stringify([await database('account_tokens'), await database('outbox_mails')])
  t.false(stored.includes(mailed))
  t.true(stored.includes(hashToken(mailed)))
  t.true(JSON.stringify(await database('account_tokens').where({ userId })).includes('ada@example.com'))
  t.is((await verify(platform, token)).failure.code, 'INVALID_TOKEN')
  clock.forward(24 * hour)
  t.is((await verify(platform, mailed)).failure.code, 'TOKEN_EXPIRED')
  clock.forward(24 * hour + 1)
  await platform.services.users.purge()
  t.is((await verify(platform, mailed)).failure.code, 'INVALID_TOKEN')
})

test('another token replaces the one before; five are mailed an hour, and none once the address is verified', async (t) => {
  const platform = await house()
  const someone = await newcomer(platform)
  const first = await tokenTo(platform, someone.email)
  const send = () => call(someone, accountMails.sendVerification)
  for (let sent = 0; sent < 5; sent += 1) t.is((await send()).status, 202)
  const limited = await send()
  t.is(limited.failure.code, 'RATE_LIMITED')
  t.regex(limited.failure.error, /5 requests an hour/)
  t.is((await mailsTo(platform, someone.email)).length, 6)
  t.is((await verify(platform, first)).failure.code, 'INVALID_TOKEN')
  t.is((await verify(platform, await tokenTo(platform, someone.email))).status, 204)

  const verified = await newcomer(platform)
  await verify(platform, await tokenTo(platform, verified.email))
  t.is((await call(verified, accountMails.sendVerification)).status, 202)
  t.is((await mailsTo(platform, verified.email)).length, 1)
})

test('requests at the same time get no more mails than one after the other, and one token that is good', async (t) => {
  const platform = await startPlatform(t, { env: { RATE_LIMIT_STORE: 'postgres' } })
  const someone = await newcomer(platform)
  const sent = await Promise.all(Array.from({ length: 20 }, () => call(someone, accountMails.sendVerification)))
  t.is(sent.filter(({ status }) => status === 202).length, 5)
  const tokens = await tokensTo(platform, someone.email)
  t.is(tokens.length, 6)
  const used = await Promise.all(tokens.map((token) => verify(platform, token)))
  t.is(used.filter(({ status }) => status === 204).length, 1)

  const body = { email: someone.email }
  const forgot = () => call({ url: platform.url }, accountMails.forgotPassword, { body })
  t.true((await Promise.all(Array.from({ length: 20 }, forgot))).every(({ status }) => status === 202))
  t.is((await platform.services.database('password_requests')).length, 5)
})

test('a token is good for its own purpose only', async (t) => {
  const platform = await house()
  const someone = await newcomer(platform)
  const ofAddress = await tokenTo(platform, someone.email)
  const ofPassword = await resetTokenOf(platform, someone.email)
  const hidden = (token: string) => token.replace(/^sy_[a-z]+_/, 'sy_verify_')
  t.is((await reset(platform, ofAddress)).failure.code, 'INVALID_TOKEN')
  t.is((await verify(platform, ofPassword)).failure.code, 'INVALID_TOKEN')
  t.is((await verify(platform, hidden(ofPassword))).failure.code, 'INVALID_TOKEN')
  for (const text of ['x', `sy_reset_${'a'.repeat(43)}`, `sy_reset_${'a'.repeat(150)}`, someone.token.slice(0, 200)])
    t.is((await reset(platform, text)).failure.code, 'INVALID_TOKEN')
})

test('who forgot the password gets a token, chooses a new one, and everything but API keys has ended', async (t) => {
  const platform = await house()
  const someone = await newcomer(platform)
  await call(someone, auth.acceptTerms)
  await verify(someone, await tokenTo(platform, someone.email))
  const session = await sessionOf(someone)
  const { body: key } = await call(someone, apiKeys.createApiKey, { body: { name: 'A key', scopes: ['read'] } })
  const asked = await call({ url: platform.url }, accountMails.forgotPassword, { body: { email: someone.email } })
  t.is(asked.status, 202)
  const token = await eventually(20, 'a token is mailed', async () => {
    await platform.services.users.recovery.carryOut()
    return (await tokensTo(platform, someone.email)).find((one) => one.startsWith('sy_reset_'))
  })

  t.is((await reset(platform, token, 'short')).failure.code, 'VALIDATION_ERROR')
  t.is((await reset(platform, token)).status, 204)
  t.is((await call(someone, auth.me)).failure.code, 'TOKEN_REVOKED')
  const chat = await call({ url: platform.url }, sessions.getCurrentSession, { headers: withToken(session) })
  t.is(chat.failure.code, 'INVALID_SESSION')
  t.is((await call({ ...someone, token: key.key }, auth.me)).status, 200)
  t.is((await login(platform, someone.email, someone.password)).failure.code, 'UNAUTHORIZED')
  const { body } = await login(platform, someone.email, newPassword)
  t.is(typeof (await verifiedAt({ ...someone, token: body.accessToken })), 'string', 'its mail was read')
  t.is((await mailsTo(platform, someone.email))[0]?.subject, 'Your password was changed')
  t.is((await reset(platform, token)).failure.code, 'INVALID_TOKEN')
})

test('a new password voids all other tokens for one, and a change of address that a thief has asked for', async (t) => {
  const platform = await house()
  const someone = await newcomer(platform)
  const first = await resetTokenOf(platform, someone.email)
  const second = await resetTokenOf(platform, someone.email)
  t.not(first, second)
  const thief = newAddress()
  const bystander = await newcomer(platform)
  const theirs = await resetTokenOf(platform, bystander.email)
  await change(someone, thief)
  t.is((await reset(platform, first)).status, 204)
  t.is((await reset(platform, second)).failure.code, 'INVALID_TOKEN')
  t.is((await verify(platform, await tokenTo(platform, thief))).failure.code, 'INVALID_TOKEN')

  const other = await newcomer(platform)
  const stale = await resetTokenOf(platform, other.email)
  await change(other, thief)
  await call(other, auth.changePassword, { body: { currentPassword: other.password, newPassword } })
  t.is((await reset(platform, stale)).failure.code, 'INVALID_TOKEN')
  t.is((await verify(platform, await tokenTo(platform, thief))).failure.code, 'INVALID_TOKEN')
  t.is((await reset(platform, theirs)).status, 204, 'that of another account is good')
})

test('of simultaneous uses of one token for a new password one succeeds', async (t) => {
  const platform = await house()
  const { email } = await newcomer(platform)
  const token = await resetTokenOf(platform, email)
  const passwords = Array.from({ length: 8 }, (_, nth) => `a better password ${nth}`)
  const answers = await Promise.all(passwords.map((one) => reset(platform, token, one)))
  const won = answers.findIndex(({ status }) => status === 204)
  t.is(answers.filter((one) => one.status === 401 && one.failure.code === 'INVALID_TOKEN').length, 7)
  t.is((await login(platform, email, passwords[won] ?? '')).status, 200)
})

test('a stranger who asks for all the mails that a mailbox gets leaves the owner of the account the way back in', async (t) => {
  const clock = movableClock(new Date().toISOString())
  const env = {
    RATE_LIMIT_AUTH_PER_MINUTE: '1000',
    RATE_LIMIT_TRIES_PER_HOUR: '2',
    RATE_LIMIT_RECOVERY_PER_HOUR: '1000',
  }
  const platform = await startPlatform(t, { clock, env })
  const { users, outbox } = platform.services
  const owner = await newcomer(platform, 'ada@example.com')
  for (let nth = 0; nth < 21; nth += 1) await users.register({ email: `ada+${nth}@example.com`, password: newPassword })
  t.is((await outbox.list({ limit: 100 })).items.length, 20, 'the mailbox has got what others can ask for')
  for (let nth = 0; nth < 21; nth += 1) await users.recovery.ask(`ada+${nth}@example.com`, '198.51.100.1')
  t.is((await call(owner, accountMails.sendVerification)).status, 202)
  t.is((await verify(platform, await tokenTo(platform, owner.email))).status, 204)

  // Of the owner's own address strangers can ask for five an hour: the last one is good until others can be asked for.
  for (let nth = 0; nth < 6; nth += 1) await users.recovery.ask(owner.email, '198.51.100.1')
  await users.recovery.carryOut()
  clock.forward(hour - 1)
  t.is((await reset(platform, await tokenTo(platform, owner.email))).status, 204)
  t.is((await login(platform, owner.email, newPassword)).status, 200)
})

test('nobody learns from a forgotten password whether there is an account: answer, statements and limit are the same', async (t) => {
  const platform = await startPlatform(t, { env: { RATE_LIMIT_RECOVERY_PER_HOUR: '20' } })
  const { database, users } = platform.services
  const known = await newcomer(platform)
  const statements: string[] = []
  database.on('query', ({ sql }: { sql: string }) => statements.push(sql))
  const seen = []
  for (const email of [known.email, newAddress()]) {
    const answers = []
    statements.length = 0
    for (let nth = 0; nth < 7; nth += 1) {
      const { status, body } = await call({ url: platform.url }, accountMails.forgotPassword, { body: { email } })
      answers.push({ status, body })
    }
    seen.push({ answers, statements: [...statements] })
  }
  t.deepEqual(seen[0], seen[1])
  t.is(seen[0]?.statements.length, 5, 'the sixth and seventh do nothing')
  t.is((await database('password_requests')).length, 10)
  await Promise.all([users.recovery.carryOut(), users.recovery.carryOut()])
  t.is((await database('password_requests')).length, 0)
  t.is((await tokensTo(platform, known.email)).filter((one) => one.startsWith('sy_reset_')).length, 5)

  for (let nth = 0; nth < 6; nth += 1) await users.recovery.ask(newAddress(), '127.0.0.1')
  const last = await call({ url: platform.url }, accountMails.forgotPassword, { body: { email: known.email } })
  t.is(last.failure.code, 'RATE_LIMITED', 'from one client address')
})

test('an address is changed by the token that was mailed to the new one, and the old one is told twice', async (t) => {
  const platform = await house()
  const someone = await newcomer(platform)
  const newEmail = newAddress()
  const stale = await resetTokenOf(platform, someone.email)
  const asked = await change(someone, `  ${newEmail.toUpperCase()}`)
  t.is(asked.status, 202)
  t.is((await call(someone, auth.me)).body.email, someone.email)
  const token = await tokenTo(platform, newEmail)
  t.regex(token, /^sy_change_/)
  t.is((await verify(platform, token)).status, 204)
  const { body } = await call(someone, auth.me)
  t.is(body.email, newEmail)
  t.is(typeof body.emailVerifiedAt, 'string')
  const subjects = (await mailsTo(platform, someone.email)).map(({ subject }) => subject)
  t.deepEqual(subjects.slice(0, 2), ['Your email address was changed', 'Your email address is about to change'])
  t.is((await login(platform, newEmail, someone.password)).status, 200)
  t.is((await login(platform, someone.email, someone.password)).failure.code, 'UNAUTHORIZED')
  t.is((await verify(platform, token)).failure.code, 'INVALID_TOKEN')
  t.is((await reset(platform, stale)).failure.code, 'INVALID_TOKEN', 'it was mailed to the former address')
})

test('asking for a taken address is answered like any other, and fails for whoever reads its mail', async (t) => {
  const platform = await house()
  const [someone, other] = [await newcomer(platform), await newcomer(platform)]
  const free = await change(someone, newAddress())
  const taken = await change(someone, other.email)
  t.deepEqual([taken.status, taken.body], [free.status, free.body])
  const { failure } = await verify(platform, await tokenTo(platform, other.email))
  t.like(failure, {
    code: 'VALIDATION_ERROR',
    details: [{ path: 'token', message: 'Is for an address that already belongs to another account.' }],
  })
  t.is((await call(someone, auth.me)).body.email, someone.email)
})

test('of two who are to have the same address at the same time one gets it', async (t) => {
  const platform = await house()
  const people = [await newcomer(platform), await newcomer(platform)]
  const newEmail = newAddress()
  for (const one of people) await change(one, newEmail)
  const answers = await Promise.all((await tokensTo(platform, newEmail)).map((token) => verify(platform, token)))
  t.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [204, 400],
  )
})

test('an address changes only for who knows the password, five times an hour at most, and the last token counts', async (t) => {
  const platform = await house()
  const someone = await newcomer(platform)
  const newEmail = newAddress()
  t.is((await change(someone, newEmail, 'a wrong password')).failure.code, 'UNAUTHORIZED')
  t.like((await change(someone, 'not an address')).failure, {
    code: 'VALIDATION_ERROR',
    details: [{ path: 'newEmail' }],
  })
  t.deepEqual(await mailsTo(platform, newEmail), [])
  for (let nth = 0; nth < 5; nth += 1) t.is((await change(someone, newEmail)).status, 202)
  t.is((await change(someone, newEmail)).failure.code, 'RATE_LIMITED')
  const [last = '', ...earlier] = await tokensTo(platform, newEmail)
  t.is(earlier.length, 4)
  for (const token of earlier) t.is((await verify(platform, token)).failure.code, 'INVALID_TOKEN')
  t.is((await verify(platform, last)).status, 204)
})

test('a mail with a token has first the link to its page, and then the token for programs', async (t) => {
  const platform = await house()
  const someone = await newcomer(platform)
  const newEmail = newAddress()
  await change(someone, newEmail)
  await resetTokenOf(platform, someone.email)
  const mails = [...(await mailsTo(platform, newEmail)), ...(await mailsTo(platform, someone.email))]
  const linked = mails.flatMap(({ text }) => {
    const [, page, token] = /\n\n(\S+)#token=(sy_\S+)\n\n[^]+\n\n\2\n\n/.exec(text) ?? []
    return page === undefined ? [] : [[page, token?.split('_')[1]]]
  })
  t.deepEqual(linked, [
    [`${platform.url}/console/verify`, 'change'],
    [`${platform.url}/console/reset`, 'reset'],
    [`${platform.url}/console/verify`, 'verify'],
  ])
  const told = mails.find(({ subject }) => subject === 'Your email address is about to change')
  t.true(told?.text.includes(`change your password now at ${platform.url}/console.`))
})

test('a token that is mailed is good once, and never logged', async (t) => {
  const platform = await house()
  const someone = await newcomer(platform)
  const newEmail = newAddress()
  await change(someone, newEmail)
  t.is(await verifiedAt(someone), null)
  const tokens = [await tokenTo(platform, someone.email), await tokenTo(platform, newEmail)]
  for (const token of tokens) t.is((await verify(platform, token)).status, 204)
  tokens.push(await resetTokenOf(platform, newEmail))
  t.is((await reset(platform, tokens[2] ?? '')).status, 204)
  for (const token of tokens) t.is((await verify(platform, token)).failure.code, 'INVALID_TOKEN', 'it is good once')
  const logs = platform.logs.join('\n')
  for (const token of tokens) t.false(logs.includes(token.slice(-20)))
  t.true(logs.includes('"msg":"password reset"'))
})
