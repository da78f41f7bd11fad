// @promise guesses
import test, { type ExecutionContext } from 'ava'
import * as accountMails from '../../api/account-mails.ts'
import * as auth from '../../api/auth.ts'
import * as signIn from '../../api/sign-in.ts'
import * as totp from '../../api/totp.ts'
import { codeAt, setUpTotp, wrongCodeAt } from '../helpers/authenticator.ts'
import { call, type Answer, type Client } from '../helpers/client.ts'
import { movableClock } from '../helpers/clock.ts'
import { resetTokenOf } from '../helpers/mailbox.ts'
import { customer, person, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { environmentOf } from '../helpers/sign-ins.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { userIdOf, verified, workspaceOf } from '../helpers/workspaces.ts'

const mostTries = 6
const env = { TRUSTED_PROXIES: '1', RATE_LIMIT_TRIES_PER_HOUR: String(mostTries) }
const clock = movableClock()
const open = forWholeFile(test, 'tries', (t) => startPlatform(t, { env, clock }))

let stranger = 0
/** An address that nobody has logged in from. */
const elsewhere = () => ({ 'x-forwarded-for': `198.51.100.${(stranger += 1)}` })

const logIn = (
  { url, email, password }: Pick<Person, 'url' | 'email' | 'password'>,
  { headers = elsewhere(), code }: { headers?: Record<string, string>; code?: string } = {},
) => call({ url }, auth.login, { headers, body: { email, password, ...(code !== undefined && { code }) } })

const wrong = 'not the password'

/** Each place where a caller says a password. */
const places = (someone: Client, headers: Record<string, string>): Record<string, () => Promise<Answer<unknown>>> => ({
  'PATCH /auth/me': () =>
    call(someone, auth.changePassword, { headers, body: { currentPassword: wrong, newPassword: 'another password' } }),
  'DELETE /auth/me': () => call(someone, auth.deleteAccount, { headers, body: { password: wrong } }),
  'POST /auth/me/email': () =>
    call(someone, accountMails.changeEmail, { headers, body: { newEmail: 'a@example.org', currentPassword: wrong } }),
  'POST /auth/totp': () => call(someone, totp.startTotp, { headers, body: { currentPassword: wrong } }),
  'DELETE /auth/totp': () =>
    call(someone, totp.removeTotp, { headers, body: { currentPassword: wrong, code: '000000' } }),
  'POST /auth/totp/recovery-codes': () =>
    call(someone, totp.renewRecoveryCodes, { headers, body: { currentPassword: wrong, code: '000000' } }),
})

test.serial('wrong passwords of an account are bounded over all places and addresses together', async (t) => {
  const someone = await person(await open())
  for (const [place, attempt] of Object.entries(places(someone, elsewhere())))
    t.is((await attempt()).failure.code, 'UNAUTHORIZED', place)
  const refused = await logIn({ ...someone, password: wrong })
  t.is(refused.failure.code, 'RATE_LIMITED')
  t.true(Number(refused.headers.get('retry-after')) > 3000)
  for (const [place, attempt] of Object.entries(places(someone, elsewhere())))
    t.is((await attempt()).failure.code, 'RATE_LIMITED', place)
  t.is((await logIn(someone)).failure.code, 'RATE_LIMITED', 'not even the right one, or guessing would go on')
})

test.serial('linking a provider counts, too', async (t) => {
  const platform = await startPlatform(t, { env: { ...env, ...environmentOf({ origin: 'https://idp.example.com' }) } })
  const someone = await verified(platform)
  const body = { provider: 'oidc', currentPassword: wrong }
  const codes: string[] = []
  for (let tried = 0; tried < mostTries + 1; tried += 1)
    codes.push((await call(someone, signIn.linkIdentity, { headers: elsewhere(), body })).failure.code)
  t.deepEqual(codes, [...Array<string>(mostTries).fill('UNAUTHORIZED'), 'RATE_LIMITED'])
})

test.serial('who was logged in from a place before is not kept out of it by strangers', async (t) => {
  const someone = await person(await open())
  const office = { 'x-forwarded-for': '203.0.113.9' }
  t.is((await logIn(someone, { headers: office })).status, 200)
  for (let tried = 0; tried < 2 * mostTries; tried += 1) await logIn({ ...someone, password: wrong })
  t.is((await logIn(someone)).failure.code, 'RATE_LIMITED')
  t.is((await logIn(someone, { headers: office })).status, 200)
  // Guesses from there are bounded all the same.
  for (let tried = 0; tried < mostTries; tried += 1) await logIn({ ...someone, password: wrong }, { headers: office })
  t.is((await logIn(someone, { headers: office })).failure.code, 'RATE_LIMITED')
  const former = await person(await open())
  await logIn(former, { headers: office })
  clock.forward(91 * 86_400)
  for (let tried = 0; tried < mostTries; tried += 1) await logIn({ ...former, password: wrong })
  t.is((await logIn(former, { headers: office })).failure.code, 'RATE_LIMITED', 'a place is forgotten')
})

test.serial('a place counts only for whoever has logged in there, by a way in to the whole account', async (t) => {
  const platform = await open()
  const [someone, guest, rival] = [await person(platform), await person(platform), await person(platform)]
  const office = { 'x-forwarded-for': '203.0.113.17' }
  for (const one of [guest, rival]) t.is((await logIn(one, { headers: office })).status, 200)
  // As if the provider of a workspace had signed the guest in.
  const { id: workspaceId } = await workspaceOf(await customer(platform, 'team'))
  const userId = await userIdOf(guest)
  await platform.services.database('logins').where({ userId }).update({ workspaceId })
  for (const one of [someone, guest]) {
    for (let tried = 0; tried < mostTries; tried += 1) await logIn({ ...one, password: wrong }, { headers: office })
    t.is((await logIn(one)).failure.code, 'RATE_LIMITED')
  }
})

test.serial('a new password by mail ends the wait', async (t) => {
  const platform = await open()
  const someone = await person(platform)
  const office = { 'x-forwarded-for': '203.0.113.10' }
  await logIn(someone, { headers: office })
  for (let tried = 0; tried < mostTries; tried += 1) {
    await logIn({ ...someone, password: wrong })
    await logIn({ ...someone, password: wrong }, { headers: office })
  }
  t.is((await logIn(someone)).failure.code, 'RATE_LIMITED')
  t.is((await logIn(someone, { headers: office })).failure.code, 'RATE_LIMITED')
  const newPassword = 'a password that is new'
  const token = await resetTokenOf(platform, someone.email)
  await call(platform, accountMails.resetPassword, { headers: office, body: { token, newPassword } })
  for (const headers of [elsewhere(), office])
    t.is((await logIn({ ...someone, password: newPassword }, { headers })).status, 200)
})

test.serial('right passwords are not counted, and whether there is an account cannot be told', async (t) => {
  const platform = await open()
  const someone = await person(platform)
  for (let times = 0; times < 2 * mostTries; times += 1) t.is((await logIn(someone)).status, 200)
  const { secret } = await setUpTotp(someone, clock.now())
  for (let times = 0; times < 2 * mostTries; times += 1) t.is((await logIn(someone)).failure.code, 'UNAUTHORIZED')
  clock.forward(30)
  const code = codeAt(secret, clock.now())
  t.is((await logIn(someone, { code })).status, 200, 'to be asked for a code is no try')
  const nobody = { url: platform.url, email: 'nobody@example.com', password: wrong }
  const codes: string[] = []
  for (let tried = 0; tried < mostTries + 1; tried += 1) codes.push((await logIn(nobody)).failure.code)
  t.deepEqual(codes, [...Array<string>(mostTries).fill('UNAUTHORIZED'), 'RATE_LIMITED'])
})

test.serial('of many tries at once no more are made than are allowed', async (t) => {
  const someone = await person(await open())
  const answers = await Promise.all(Array.from({ length: 30 }, () => logIn({ ...someone, password: wrong })))
  t.is(answers.filter(({ failure }) => failure.code === 'UNAUTHORIZED').length, mostTries)
})

async function enrolled(t: ExecutionContext) {
  const platform = await startPlatform(t, { clock })
  const someone = await person(platform)
  return { platform, someone, ...(await setUpTotp(someone, clock.now())) }
}

test.serial('with an authenticator app, what changes how one logs in needs a code beside the password', async (t) => {
  const { someone, secret } = await enrolled(t)
  const { password } = someone
  const asked: Record<string, (code?: string) => Promise<Answer<unknown>>> = {
    changePassword: (code) =>
      call(someone, auth.changePassword, {
        body: { currentPassword: password, newPassword: password, ...(code && { code }) },
      }),
    changeEmail: (code) =>
      call(someone, accountMails.changeEmail, {
        body: { currentPassword: password, newEmail: 'new@example.org', ...(code && { code }) },
      }),
    deleteAccount: (code) => call(someone, auth.deleteAccount, { body: { password, ...(code && { code }) } }),
  }
  for (const [name, ask] of Object.entries(asked)) {
    for (const code of [undefined, wrongCodeAt(secret, clock.now())]) {
      const { failure } = await ask(code)
      t.deepEqual([failure.code, failure.details?.map(({ path }) => path)], ['UNAUTHORIZED', ['code']], name)
    }
    clock.forward(30)
    t.true((await ask(codeAt(secret, clock.now()))).status < 300, name)
  }
})

test.serial('the count of wrong codes is not cleared by a change of the password', async (t) => {
  const { someone, secret } = await enrolled(t)
  const { password } = someone
  const guess = wrongCodeAt(secret, clock.now())
  const codes: string[] = []
  for (let round = 0; round < 3; round += 1) {
    for (let tried = 0; tried < 4; tried += 1) {
      const body = { currentPassword: password, code: guess }
      codes.push((await call(someone, totp.removeTotp, { body })).failure.code)
    }
    await call(someone, auth.changePassword, { body: { currentPassword: password, newPassword: password } })
  }
  t.is(codes.filter((code) => code === 'UNAUTHORIZED').length, 10)
  clock.forward(30)
  const right = { currentPassword: password, code: codeAt(secret, clock.now()) }
  t.is((await call(someone, totp.removeTotp, { body: right })).failure.code, 'RATE_LIMITED')
})
