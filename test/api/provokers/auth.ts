import * as accountMails from '../../../api/account-mails.ts'
import * as auth from '../../../api/auth.ts'
import * as apiKeys from '../../../api/api-keys.ts'
import * as exports from '../../../api/exports.ts'
import * as logins from '../../../api/logins.ts'
import * as totp from '../../../api/totp.ts'
import { systemClock } from '../../../src/clock.ts'
import { invite } from '../../../src/users/invite.ts'
import { codeAt, setUpTotp } from '../../helpers/authenticator.ts'
import { resetTokenOf, tokenTo } from '../../helpers/mailbox.ts'
import { newcomer, person } from '../../helpers/people.ts'
import type { Recorder } from '../recorder.ts'
import { validBodies, type Stage } from '../stage.ts'
import { repeat, type Table } from './table.ts'

export function authTable({ platform, closed, invited, owner, nobody, sites }: Stage, { ask }: Recorder): Table {
  const { database } = platform.services
  const bodies = validBodies(sites)
  const credentials = { email: owner.email, password: owner.password }
  const refreshToken = async () => (await ask(nobody, auth.login, { body: credentials })).body.refreshToken
  const refresh = async (token: string) => ask(nobody, auth.refresh, { body: { refreshToken: token } })
  const verify = (token: string) => ask(nobody, accountMails.verifyEmail, { body: { token } })
  const reset = (token: string) =>
    ask(nobody, accountMails.resetPassword, { body: { token, newPassword: 'a better password' } })
  // They live for half an hour at least.
  const expire = (email: string) =>
    database.raw('update account_tokens set expires_at = now() where email = ?', [email])
  const keepOut = (email: string) => database('users').where({ email }).update({ suspendedAt: new Date() })
  const invitee = 'invited@example.com'
  const registerWith = (invitation: string) =>
    ask(invited, auth.register, { body: { email: invitee, password: 'a good password', invitation } })
  const fromElsewhere = { origin: 'https://elsewhere.example' }
  const key = { name: 'A key', scopes: ['read' as const] }
  return {
    register: {
      done: () => ask(nobody, auth.register, { body: bodies['register'] as never }),
      INVALID_TOKEN: () => registerWith('sy_invite_never-given-out'),
      async TOKEN_EXPIRED() {
        const { token = '' } = (await invite({ database, clock: systemClock }, invitee)) ?? {}
        await expire(invitee)
        return registerWith(token)
      },
      PERMISSION_DENIED: () => ask(closed, auth.register, { body: bodies['register'] as never }),
    },
    login: {
      done: () => ask(nobody, auth.login, { body: credentials }),
      UNAUTHORIZED: () => ask(nobody, auth.login, { body: { ...credentials, password: 'a wrong password' } }),
      PERMISSION_DENIED: () =>
        ask(nobody, auth.login, { body: { ...credentials, cookie: true }, headers: fromElsewhere }),
    },
    refresh: {
      done: async () => refresh(await refreshToken()),
      INVALID_TOKEN: () => refresh('sy_refresh_never-given-out'),
      UNAUTHORIZED: () => ask(nobody, auth.refresh, { body: { cookie: true } }),
      async PERMISSION_DENIED() {
        const headers = { cookie: `switchyard_refresh=${await refreshToken()}`, ...fromElsewhere }
        return ask(nobody, auth.refresh, { body: { cookie: true }, headers })
      },
      async TOKEN_EXPIRED() {
        const someone = await newcomer(platform)
        const { body } = await ask(nobody, auth.login, { body: { email: someone.email, password: someone.password } })
        // They live for a day at least.
        await database.raw(
          `update refresh_tokens set expires_at = now() where login_id in
             (select logins.id from logins join users on users.id = user_id where email = ?)`,
          [someone.email],
        )
        return refresh(body.refreshToken)
      },
      async TOKEN_REVOKED() {
        const token = await refreshToken()
        await refresh(token)
        return refresh(token)
      },
    },
    logout: { done: async () => ask(await newcomer(platform), auth.logout) },
    logoutEverywhere: { done: async () => ask(await newcomer(platform), auth.logoutEverywhere) },
    acceptTerms: { done: async () => ask(await newcomer(platform), auth.acceptTerms) },
    me: { done: () => ask(owner, auth.me) },
    changePassword: {
      async done() {
        const someone = await newcomer(platform)
        const body = { currentPassword: someone.password, newPassword: 'a better password' }
        return ask(someone, auth.changePassword, { body })
      },
    },
    deleteAccount: {
      async done() {
        const someone = await newcomer(platform)
        return ask(someone, auth.deleteAccount, { body: { password: someone.password } })
      },
    },
    restoreAccount: { done: () => ask(owner, auth.restoreAccount) },
    exportAccount: { done: () => ask(owner, exports.exportAccount) },
    verifyEmail: {
      async done() {
        const { email } = await newcomer(platform)
        return verify(await tokenTo(platform, email))
      },
      INVALID_TOKEN: () => verify('sy_verify_never-given-out'),
      async PERMISSION_DENIED() {
        const { email } = await newcomer(platform)
        await keepOut(email)
        return verify(await tokenTo(platform, email))
      },
      async TOKEN_EXPIRED() {
        const { email } = await newcomer(platform)
        await expire(email)
        return verify(await tokenTo(platform, email))
      },
    },
    sendVerification: { done: async () => ask(await newcomer(platform), accountMails.sendVerification) },
    forgotPassword: { done: () => ask(nobody, accountMails.forgotPassword, { body: { email: owner.email } }) },
    resetPassword: {
      async done() {
        const { email } = await newcomer(platform)
        return reset(await resetTokenOf(platform, email))
      },
      INVALID_TOKEN: () => reset('sy_reset_never-given-out'),
      async PERMISSION_DENIED() {
        const { email } = await newcomer(platform)
        await keepOut(email)
        return reset(await resetTokenOf(platform, email))
      },
      async TOKEN_EXPIRED() {
        const { email } = await newcomer(platform)
        const token = await resetTokenOf(platform, email)
        await expire(email)
        return reset(token)
      },
    },
    changeEmail: {
      async done() {
        const someone = await newcomer(platform)
        const body = { newEmail: `new-${someone.email}`, currentPassword: someone.password }
        return ask(someone, accountMails.changeEmail, { body })
      },
    },
    readCsrfToken: { done: () => ask(owner, logins.readCsrfToken) },
    getTotp: { done: () => ask(owner, totp.getTotp) },
    startTotp: {
      async done() {
        const someone = await newcomer(platform)
        return ask(someone, totp.startTotp, { body: { currentPassword: someone.password } })
      },
    },
    confirmTotp: {
      async done() {
        const someone = await newcomer(platform)
        const { body } = await ask(someone, totp.startTotp, { body: { currentPassword: someone.password } })
        return ask(someone, totp.confirmTotp, { body: { code: codeAt(body.secret) } })
      },
      NOT_FOUND: async () => ask(await newcomer(platform), totp.confirmTotp, { body: { code: '123456' } }),
    },
    renewRecoveryCodes: {
      async done() {
        const someone = await newcomer(platform)
        const [code = ''] = (await setUpTotp(someone)).recoveryCodes
        return ask(someone, totp.renewRecoveryCodes, { body: { currentPassword: someone.password, code } })
      },
      async NOT_FOUND() {
        const someone = await newcomer(platform)
        return ask(someone, totp.renewRecoveryCodes, { body: { currentPassword: someone.password, code: '123456' } })
      },
    },
    removeTotp: {
      async done() {
        const someone = await newcomer(platform)
        const [code = ''] = (await setUpTotp(someone)).recoveryCodes
        return ask(someone, totp.removeTotp, { body: { currentPassword: someone.password, code } })
      },
      async NOT_FOUND() {
        const someone = await newcomer(platform)
        return ask(someone, totp.removeTotp, { body: { currentPassword: someone.password, code: '123456' } })
      },
    },
    listLogins: { done: () => ask(owner, logins.listLogins) },
    endLogin: {
      async done() {
        const someone = await newcomer(platform)
        const [login] = (await ask(someone, logins.listLogins)).body.items
        return ask(someone, logins.endLogin, { params: { loginId: login?.id ?? '' } })
      },
    },
    listApiKeys: { done: () => ask(owner, apiKeys.listApiKeys) },
    createApiKey: {
      done: () => ask(owner, apiKeys.createApiKey, { body: key }),
      async FEATURE_LIMIT_REACHED() {
        const someone = await person(platform)
        return repeat(4, () => ask(someone, apiKeys.createApiKey, { body: key }))
      },
    },
    deleteApiKey: {
      async done() {
        const { body } = await ask(owner, apiKeys.createApiKey, { body: key })
        return ask(owner, apiKeys.deleteApiKey, { params: { apiKeyId: body.id } })
      },
    },
  }
}
