// @promise totp
import test from 'ava'
import * as accountMails from '../../api/account-mails.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as auth from '../../api/auth.ts'
import * as totp from '../../api/totp.ts'
import { resetPassword } from '../../src/users/reset-password.ts'
import { codeAt, setUpTotp, wrongCodeAt } from '../helpers/authenticator.ts'
import { call, type Client } from '../helpers/client.ts'
import { movableClock } from '../helpers/clock.ts'
import { mailsTo, resetTokenOf, tokenTo } from '../helpers/mailbox.ts'
import { cheapCost } from '../helpers/passwords.ts'
import { person, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const clock = movableClock()
const open = forWholeFile(test, 'second factors', (t) => startPlatform(t, { clock }))
const now = () => clock.now()

/** Somebody with an authenticator app, whose code of this step is used up. The clock moves on for all tests alike. */
async function enrolled() {
  const platform = await open()
  const someone = await person(platform)
  return { platform, someone, ...(await setUpTotp(someone, now())) }
}

const logIn = ({ url, email, password }: Person, code?: string) =>
  call({ url }, auth.login, { body: { email, password, ...(code !== undefined && { code }) } })

const codeDetail = (answer: Awaited<ReturnType<typeof logIn>>) => answer.failure.details?.map(({ path }) => path)

const subjects = async (platform: Awaited<ReturnType<typeof open>>, { email }: Person) =>
  (await mailsTo(platform, email)).map(({ subject }) => subject)

test.serial('a login of an account with an authenticator app needs a code, once its password was right', async (t) => {
  const { someone, secret } = await enrolled()
  const without = await logIn(someone)
  t.deepEqual([without.failure.code, codeDetail(without)], ['UNAUTHORIZED', ['code']])
  const wrong = await logIn(someone, wrongCodeAt(secret, now()))
  t.deepEqual([wrong.failure.code, codeDetail(wrong)], ['UNAUTHORIZED', ['code']])
  const code = codeAt(secret, now(), 1)
  const stranger = { ...someone, password: 'not the password' }
  const nobody = { ...someone, email: 'nobody@example.com' }
  const refusals = [await logIn(stranger), await logIn(stranger, code), await logIn(nobody), await logIn(nobody, code)]
  for (const { failure } of refusals) t.deepEqual(failure, refusals[0]?.failure)
  t.is(refusals[0]?.failure.details, undefined)
  const { status, body } = await logIn(someone, code)
  t.is(status, 200)
  const state = await call({ url: someone.url, token: body.accessToken }, totp.getTotp)
  t.like(state.body, { recoveryCodesLeft: 10 })
  t.not(state.body.enabledAt, null)
})

test.serial(
  'a code is good once, also the one that confirmed the app, and none from before it is good any more',
  async (t) => {
    const { someone, secret } = await enrolled()
    t.is((await logIn(someone, codeAt(secret, now()))).failure.code, 'UNAUTHORIZED')
    t.is((await logIn(someone, codeAt(secret, now(), -1))).failure.code, 'UNAUTHORIZED')
    const next = codeAt(secret, now(), 1)
    t.is((await logIn(someone, `${next.slice(0, 3)} ${next.slice(3)}`)).status, 200)
    t.is((await logIn(someone, next)).failure.code, 'UNAUTHORIZED')
    clock.forward(60)
    t.is((await logIn(someone, next)).failure.code, 'UNAUTHORIZED')
    t.is((await logIn(someone, codeAt(secret, now(), 2))).failure.code, 'UNAUTHORIZED')
    t.is((await logIn(someone, codeAt(secret, now()))).status, 200)
  },
)

test.serial('of simultaneous logins with one code exactly one succeeds, and so with a recovery code', async (t) => {
  const { someone, secret, recoveryCodes } = await enrolled()
  for (const code of [codeAt(secret, now(), 1), recoveryCodes[3]]) {
    const answers = await Promise.all(Array.from({ length: 8 }, () => logIn(someone, code)))
    t.is(answers.filter(({ status }) => status === 200).length, 1)
    for (const { status, failure } of answers.filter((one) => one.status !== 200))
      t.deepEqual([status, failure.code], [401, 'UNAUTHORIZED'])
    clock.forward(60)
    t.is((await logIn(someone, codeAt(secret, now()))).status, 200)
  }
})

test.serial(
  'after ten wrong codes none is accepted for an hour, however many come at once, and the owner is told',
  async (t) => {
    const { platform, someone, secret, recoveryCodes } = await enrolled()
    const wrong = wrongCodeAt(secret, now())
    for (let tried = 0; tried < 15; tried += 1) await logIn({ ...someone, password: 'not the password' }, wrong)
    const answers = await Promise.all(Array.from({ length: 25 }, () => logIn(someone, wrong)))
    const count = (code: string) => answers.filter(({ failure }) => failure.code === code).length
    t.deepEqual([count('UNAUTHORIZED'), count('RATE_LIMITED')], [10, 15])
    const right = codeAt(secret, now(), 1)
    const refused = await logIn(someone, right)
    t.is(refused.failure.code, 'RATE_LIMITED')
    t.true(Number(refused.headers.get('retry-after')) > 3000)
    t.is((await logIn(someone, recoveryCodes[0])).failure.code, 'RATE_LIMITED')
    t.is((await logIn(someone)).failure.code, 'UNAUTHORIZED')
    t.is(
      (await subjects(platform, someone)).filter((subject) => subject === 'Someone is entering wrong codes').length,
      1,
    )
    clock.forward(3601)
    t.is((await logIn(someone, wrongCodeAt(secret, now()))).failure.code, 'UNAUTHORIZED', 'ten more are tried')
    t.is((await logIn(someone, recoveryCodes[0])).status, 200)
    t.is((await logIn(someone, codeAt(secret, now()))).status, 200)
    for (const good of recoveryCodes.slice(1, 3)) {
      for (let tried = 0; tried < 9; tried += 1) await logIn(someone, wrongCodeAt(secret, now()))
      t.is((await logIn(someone, good)).status, 200, 'a right one ends the count')
    }
  },
)

test.serial('who has used up the attempts is let in at once with a new password, and a code', async (t) => {
  const { platform, someone, secret } = await enrolled()
  const token = await tokenTo(platform, someone.email).catch(() => '')
  if (token) await call(someone, accountMails.verifyEmail, { body: { token } })
  const wrong = wrongCodeAt(secret, now())
  const { someone: other, secret: ofOther } = await enrolled()
  for (let tried = 0; tried < 11; tried += 1) await logIn(someone, wrong)
  for (let tried = 0; tried < 11; tried += 1) await logIn(other, wrongCodeAt(ofOther, now()))
  t.is((await logIn(someone, codeAt(secret, now(), 1))).failure.code, 'RATE_LIMITED')
  const newPassword = 'a password that nobody knows'
  await call(platform, accountMails.resetPassword, {
    body: { token: await resetTokenOf(platform, someone.email), newPassword },
  })
  const after = { ...someone, password: newPassword }
  t.deepEqual(codeDetail(await logIn(after)), ['code'])
  t.is((await logIn(after, codeAt(secret, now(), 1))).status, 200)
  t.is((await logIn(other, codeAt(ofOther, now(), 1))).failure.code, 'RATE_LIMITED', 'the wait of others goes on')
  const byOperator = async (withoutTotp: boolean) =>
    (await resetPassword({ ...platform.services, passwordCost: cheapCost }, other.email, { withoutTotp })) ?? ''
  const password = await byOperator(false)
  t.is((await logIn({ ...other, password }, codeAt(ofOther, now(), 1))).status, 200)
  t.is((await logIn({ ...other, password: await byOperator(true) })).status, 200, 'the app is lost')
  t.deepEqual(codeDetail(await logIn(after)), ['code'], 'nobody else loses theirs')
})

test.serial(
  'what a squatter has put into an account goes when the owner of the address resets its password',
  async (t) => {
    const { platform, someone } = await enrolled()
    const other = await enrolled()
    const { body: key } = await call(someone, apiKeys.createApiKey, { body: { name: 'A key', scopes: ['read'] } })
    const asKey: Client = { url: platform.url, token: key.key }
    t.is((await call(asKey, auth.me)).status, 200)
    const token = await resetTokenOf(platform, someone.email)
    const newPassword = 'the password of the owner'
    await call(platform, accountMails.resetPassword, { body: { token, newPassword } })
    t.is((await logIn({ ...someone, password: newPassword })).status, 200)
    t.is((await call(asKey, auth.me)).failure.code, 'TOKEN_REVOKED')
    t.not((await call(other.someone, totp.getTotp)).body.enabledAt, null, 'nobody else loses theirs')
  },
)

test.serial(
  'each recovery code is good once, new ones replace all before, and the owner is told of each use',
  async (t) => {
    const { platform, someone, recoveryCodes } = await enrolled()
    const [first = '', second = '', third = '', fourth = ''] = recoveryCodes
    t.is((await logIn(someone, first.toUpperCase().replaceAll('-', ' '))).status, 200)
    t.is((await logIn(someone, first)).failure.code, 'UNAUTHORIZED')
    t.is((await call(someone, totp.getTotp)).body.recoveryCodesLeft, 9)
    t.regex((await mailsTo(platform, someone.email))[0]?.text ?? '', / You have 9 left\./)
    const renew = (body: { currentPassword: string; code: string }) => call(someone, totp.renewRecoveryCodes, { body })
    t.is((await renew({ currentPassword: 'not the password', code: second })).failure.code, 'UNAUTHORIZED')
    t.is((await renew({ currentPassword: someone.password, code: first })).failure.code, 'UNAUTHORIZED')
    const other = await enrolled()
    t.is((await logIn(someone, other.recoveryCodes[0])).failure.code, 'UNAUTHORIZED', 'it is of another account')
    const renewed = await renew({ currentPassword: someone.password, code: second })
    t.is((await call(other.someone, totp.getTotp)).body.recoveryCodesLeft, 10, 'nobody else loses theirs')
    t.is(renewed.body.recoveryCodes.length, 10)
    t.is((await logIn(someone, third)).failure.code, 'UNAUTHORIZED')
    t.is((await logIn(someone, fourth)).failure.code, 'UNAUTHORIZED')
    t.is((await logIn(someone, renewed.body.recoveryCodes[9])).status, 200)
    const told = await subjects(platform, someone)
    t.is(told.filter((subject) => subject === 'A recovery code was used').length, 3)
    t.is(told.filter((subject) => subject === 'You have new recovery codes').length, 1)
  },
)

test.serial('an app is removed with password and code only, and then the password is enough', async (t) => {
  const { platform, someone, secret } = await enrolled()
  const remove = (body: { currentPassword: string; code: string }) => call(someone, totp.removeTotp, { body })
  const currentPassword = someone.password
  t.is(
    (await remove({ currentPassword: 'not the password', code: codeAt(secret, now(), 1) })).failure.code,
    'UNAUTHORIZED',
  )
  t.is((await remove({ currentPassword, code: wrongCodeAt(secret, now()) })).failure.code, 'UNAUTHORIZED')
  t.is((await call(someone, totp.startTotp, { body: { currentPassword } })).failure.code, 'VALIDATION_ERROR')
  t.is((await remove({ currentPassword, code: codeAt(secret, now(), 1) })).status, 204)
  t.is((await logIn(someone)).status, 200)
  t.deepEqual((await call(someone, totp.getTotp)).body, { enabledAt: null, recoveryCodesLeft: 0 })
  t.is((await remove({ currentPassword, code: codeAt(secret, now(), 1) })).failure.code, 'NOT_FOUND')
  const told = await subjects(platform, someone)
  for (const subject of ['Signing in now requires a code', 'Signing in no longer requires a code'])
    t.true(told.includes(subject))
})

test.serial(
  'a new password discards an app that somebody with the former one was setting up, and tells its owner',
  async (t) => {
    const platform = await open()
    const someone = await person(platform)
    const begin = async (who: Client) =>
      (await call(who, totp.startTotp, { body: { currentPassword: someone.password } })).body
    const early = await begin(someone)
    clock.forward(3601)
    const client = { url: someone.url, token: (await logIn(someone)).body.accessToken }
    const late = await call(client, totp.confirmTotp, { body: { code: codeAt(early.secret, now()) } })
    t.is(late.failure.code, 'NOT_FOUND', 'an hour is over')
    const other = await person(platform)
    const ofOther = await call(other, totp.startTotp, { body: { currentPassword: other.password } })
    const { secret } = await begin(client)
    const body = { currentPassword: someone.password, newPassword: 'a password that nobody knows' }
    t.is((await call(client, auth.changePassword, { body })).status, 200)
    const confirmed = await call(other, totp.confirmTotp, { body: { code: codeAt(ofOther.body.secret, now()) } })
    t.is(confirmed.status, 200, 'whatever others begin or change')
    t.is((await call(client, totp.confirmTotp, { body: { code: codeAt(secret, now()) } })).failure.code, 'NOT_FOUND')
    t.true((await subjects(platform, someone)).includes('Your password was changed'))
  },
)

test.serial('neither the secret nor a recovery code can be read in the database, the logs or the mails', async (t) => {
  const { platform, someone, secret, recoveryCodes } = await enrolled()
  await logIn(someone, recoveryCodes[0])
  const { database } = platform.services
  const rows = [await database('second_factors').select(), await database('recovery_codes').select()]
  const texts = JSON.stringify([rows, platform.logs, await mailsTo(platform, someone.email)])
  for (const one of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))])
    t.false(texts.includes(one))
})
