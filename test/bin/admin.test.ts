// @promise roles
import { fileURLToPath } from 'node:url'
import test from 'ava'
import * as accountMails from '../../api/account-mails.ts'
import { execa } from '../../bin/execa.ts'
import * as admin from '../../api/admin.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as auth from '../../api/auth.ts'
import { createFirstAdmin } from '../../api/first-admin.ts'
import { invite } from '../../src/users/invite.ts'
import { call } from '../helpers/client.ts'
import { resetTokenOf, tokenTo } from '../helpers/mailbox.ts'
import { startPlatform } from '../helpers/platform.ts'
import { ownEnvironment } from '../helpers/servers.ts'

const program = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url))

test('an operator invites, makes and unmakes admins, and gives a user a new password', async (t) => {
  const platform = await startPlatform(t, { env: { REGISTRATION: 'invited' } })
  const BASE_URL = 'https://switchyard.example.com'
  const env = { ...ownEnvironment(), DATABASE_URL: platform.config.database.url, BASE_URL }
  const run = (...words: string[]) =>
    execa(process.execPath, [program, ...words], { env, extendEnv: false, reject: false })
  const succeeds = async (...words: string[]) => {
    const { exitCode, stdout, stderr } = await run(...words)
    t.deepEqual([exitCode, stderr], [0, ''], words.join(' '))
    return stdout
  }
  const logIn = (email: string, password: string) => call(platform, auth.login, { body: { email, password } })
  const register = async (email: string, invitation: string) => {
    const body = { email, password: `password of ${email}` }
    t.is((await call(platform, auth.register, { body })).failure.code, 'PERMISSION_DENIED')
    t.is((await call(platform, auth.register, { body: { ...body, invitation } })).status, 201)
    const someone = { ...body, url: platform.url, token: (await logIn(email, body.password)).body.accessToken }
    await call(someone, auth.acceptTerms)
    return someone
  }

  const invited = await succeeds('invite', 'ada@example.com')
  t.true(invited.includes(`POST ${BASE_URL}/auth/register`))
  const someone = await register('ada@example.com', /sy_invite_[\w-]{43}/.exec(invited)?.[0] ?? '')
  const otherEmail = 'ada@example.com.eu'
  const other = await register(otherEmail, (await invite(platform.services, otherEmail))?.token ?? '')

  const link = await succeeds('first-admin')
  const [, invitation = ''] = new RegExp(`^${BASE_URL}/console/first#(sy_admin_[\\w-]{43})\\n`).exec(link) ?? []
  const first = { token: invitation, email: 'first@example.com', password: 'a good password' }
  t.is((await call(platform, createFirstAdmin, { body: first })).status, 201)
  const again = 'There is an admin already. To add another, use make-admin.'
  t.like(await run('first-admin'), { exitCode: 1, stdout: '', stderr: again })

  const may = async () => (await call(someone, admin.listHosts)).status
  t.is(await may(), 403)
  for (const _ of [1, 2]) t.is(await succeeds('make-admin', 'ADA@example.com'), 'This account is an admin.')
  t.is(await may(), 200, 'with the token from before')
  t.is((await call(other, admin.listHosts)).failure.code, 'ADMIN_REQUIRED')
  t.is(await succeeds('remove-admin', 'ada@example.com'), 'This account is no longer an admin.')
  t.is(await may(), 403)

  const { body: key } = await call(someone, apiKeys.createApiKey, { body: { name: 'A key', scopes: ['read'] } })
  const token = await resetTokenOf(platform, someone.email)
  const newEmail = 'new@example.com'
  await call(someone, accountMails.changeEmail, { body: { newEmail, currentPassword: someone.password } })
  const said = await succeeds('reset-password', 'ADA@example.com')
  const [, password = ''] =
    /^The new password is (\S{24})\. All of the account's sign-in sessions and chat sessions /.exec(said) ?? []
  t.is((await logIn(someone.email, someone.password)).failure.code, 'UNAUTHORIZED')
  t.is((await logIn(someone.email, password)).status, 200)
  const reset = await call(platform, accountMails.resetPassword, { body: { token, newPassword: 'another password' } })
  t.is(reset.failure.code, 'INVALID_TOKEN')
  const changed = await call(platform, accountMails.verifyEmail, { body: { token: await tokenTo(platform, newEmail) } })
  t.is(changed.failure.code, 'INVALID_TOKEN')
  t.is((await call(someone, auth.me)).failure.code, 'TOKEN_REVOKED')
  t.is((await call({ ...someone, token: key.key }, auth.me)).status, 200)
  t.is((await call(other, auth.me)).status, 200, 'nobody else is affected')

  for (const [words, stderr] of [
    [['make-admin', 'nobody@example.com'], 'No account has this address.'],
    [['reset-password', 'nobody@example.com'], 'No account has this address.'],
    [['invite', 'no address'], 'This is not an email address.'],
    [['invite'], 'Give one address: npm run admin -- invite <address>'],
    [['remove-admin', '--delete', 'a@b.example'], 'Give one address: npm run admin -- remove-admin <address>'],
  ] as const)
    t.like(await run(...words), { exitCode: 1, stdout: '', stderr })
})
