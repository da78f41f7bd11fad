// @promise cookies roles
import test, { type ExecutionContext } from 'ava'
import * as accountMails from '../../api/account-mails.ts'
import * as audit from '../../api/audit.ts'
import * as auth from '../../api/auth.ts'
import { getBilling } from '../../api/billing.ts'
import { createFirstAdmin } from '../../api/first-admin.ts'
import { setAdmin } from '../../src/users/admins.ts'
import { inviteFirstAdmin } from '../../src/users/first-admin.ts'
import { User } from '../../src/users/user.ts'
import { call } from '../helpers/client.ts'
import { movableClock } from '../helpers/clock.ts'
import { openJar } from '../helpers/cookie-jar.ts'
import { tokenTo } from '../helpers/mailbox.ts'
import { newcomer } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'

const localEmail = 'admin@switchyard.localhost'
const email = 'ada@example.com'
const password = 'correct horse battery'

/** An installation with its local admin, as after a first start. */
async function open(t: ExecutionContext) {
  const clock = movableClock(new Date().toISOString())
  const platform = await startPlatform(t, { clock })
  const { database } = platform.services
  await newcomer(platform, localEmail)
  await setAdmin(database, localEmail, true)
  /** What a start prints. */
  const invite = async () => (await inviteFirstAdmin(platform.services, localEmail))?.token
  const make = (token = '', given: { email?: string; password?: string } = {}) =>
    call(platform, createFirstAdmin, { body: { token, email, password, ...given } })
  const codeOf = async (...request: Parameters<typeof make>) => (await make(...request)).failure.code
  const admins = async () =>
    (await User.query(database).where({ admin: true }).orderBy('email')).map((admin) => admin.email)
  return { platform, clock, database, invite, make, codeOf, admins }
}

test('the link makes an admin beside the local one, signed in, verified and with the terms accepted', async (t) => {
  const { platform, invite, admins } = await open(t)
  const jar = openJar(platform.url)
  const body = { token: await invite(), email: ' Ada@Example.com', password }
  const made = await jar.ask('POST', '/auth/first-admin', { body })
  t.is(made.status, 201, made.text)
  t.deepEqual(Object.keys(JSON.parse(made.text) as object), ['expiresIn', 'csrfToken'])
  t.deepEqual([...jar.kept.keys()], ['switchyard_access', 'switchyard_refresh'])
  t.is((await jar.ask('GET', '/admin/stats')).status, 200, 'an admin with accepted terms')
  t.deepEqual(await admins(), [email, localEmail])

  const { body: login } = await call(platform, auth.login, { body: { email, password } })
  const own = { url: platform.url, token: login.accessToken }
  t.is(typeof (await call(own, auth.me)).body.emailVerifiedAt, 'string')
  t.is((await call(own, getBilling)).body.tier, 'enterprise', 'no tier keeps an operator from trying something')
  const { items } = (await call(own, audit.listAudit)).body
  t.deepEqual(
    items.map(({ action, actor }) => [action, actor.via, actor.address]),
    [
      ['login', 'login', '127.0.0.1'],
      ['login', 'login', '127.0.0.1'],
      ['createFirstAdmin', 'command', '127.0.0.1'],
    ],
  )
  t.like(items[2], { before: { admin: false }, after: { admin: true } })
})

test('without the link of the latest start nobody makes an admin', async (t) => {
  const { platform, clock, invite, codeOf, admins } = await open(t)
  t.is(await codeOf(`sy_admin_${'a'.repeat(43)}`), 'INVALID_TOKEN', 'before any start')
  const [earlier = '', latest = ''] = [await invite(), await invite()]
  const grace = { email: 'grace@example.com', password }
  await call(platform, auth.register, { body: grace })
  const mailed = await tokenTo(platform, grace.email)
  const wrong = [
    'x',
    earlier,
    `${latest}x`,
    latest.replace('sy_admin', 'sy_reset'),
    mailed,
    mailed.replace('verify', 'admin'),
  ]
  for (const token of wrong) t.is(await codeOf(token), 'INVALID_TOKEN', token)
  t.is((await call(platform, accountMails.verifyEmail, { body: { token: latest } })).failure.code, 'INVALID_TOKEN')
  clock.forward(3600)
  t.is(await codeOf(latest), 'TOKEN_EXPIRED')
  t.deepEqual(await admins(), [localEmail])
})

test('a link is used up once, also by uses at the same time, and no further one is made', async (t) => {
  const { platform, database, invite, make, codeOf, admins } = await open(t)
  const token = await invite()
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, nth) => make(token, { email: `ada${nth % 4}@example.com` })),
  )
  t.is(answers.filter(({ status }) => status === 201).length, 1)
  for (const answer of answers.filter(({ status }) => status !== 201)) t.is(answer.failure.code, 'INVALID_TOKEN')
  t.is((await admins()).length, 2)
  t.is(await codeOf(token), 'INVALID_TOKEN')
  t.is(await invite(), undefined, 'there is an admin now')
  t.false(platform.logs.join().includes(token?.slice(-20) ?? ''))
  t.deepEqual(await database('account_tokens').where({ purpose: 'admin' }), [])
})

test('an admin whom a command has made ends the link at the next start', async (t) => {
  const { platform, database, invite, codeOf } = await open(t)
  const token = await invite()
  await newcomer(platform, email)
  await setAdmin(database, email, true)
  t.is(await invite(), undefined)
  t.is(await codeOf(token, { email: 'grace@example.com' }), 'INVALID_TOKEN')
  await setAdmin(database, email, false)
  t.not(await invite(), undefined)
})

test('a taken address and a weak password are refused, and leave the link valid', async (t) => {
  const { invite, make, admins } = await open(t)
  const token = await invite()
  for (const [given, path] of [
    [{ email: localEmail }, 'email'],
    [{ email: 'no address' }, 'email'],
    [{ password: 'too short' }, 'password'],
  ] as const)
    t.like((await make(token, given)).failure, { code: 'VALIDATION_ERROR', details: [{ path }] })
  t.deepEqual(await admins(), [localEmail])
  t.is((await make(token)).status, 201)
})

test('no page of another origin uses the link', async (t) => {
  const { platform, invite, make } = await open(t)
  const body = { token: await invite(), email, password }
  const jar = openJar(platform.url)
  const refused = await jar.ask('POST', '/auth/first-admin', { body, headers: { origin: 'https://elsewhere.example' } })
  t.deepEqual([refused.code, refused.headers['set-cookie']], ['PERMISSION_DENIED', undefined])
  t.is((await make(body.token)).status, 201, 'the link is still valid')
})
