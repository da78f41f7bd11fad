// @promise sign-in
import test from 'ava'
import * as accountMails from '../../api/account-mails.ts'
import * as auth from '../../api/auth.ts'
import * as logins from '../../api/logins.ts'
import * as signIn from '../../api/sign-in.ts'
import { newId } from '../../src/ids.ts'
import { hashToken } from '../../src/secrets/opaque-tokens.ts'
import { invite } from '../../src/users/invite.ts'
import { suspend } from '../helpers/admins.ts'
import { call, type Client } from '../helpers/client.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { signInAt, startIdentityProvider } from '../helpers/identity-provider.ts'
import { mailsTo, resetTokenOf } from '../helpers/mailbox.ts'
import { newcomer, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import {
  beginSignIn,
  callbackOf,
  clientOf,
  environmentOf,
  linkTo,
  signInBy,
  visit,
  visitor,
} from '../helpers/sign-ins.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { userIdOf, verified } from '../helpers/workspaces.ts'

const providerId = 'oidc'

/** A provider of the installation, and platforms that are open, for the invited, and closed. */
const open = forWholeFile(test, 'sign-in', async (t) => {
  const idp = await startIdentityProvider(t)
  const { caFile } = await temporaryCertificates()
  const env = { ...environmentOf(idp), SITE_CA_FILE: caFile }
  const platform = await startPlatform(t, { env })
  const database = { DATABASE_URL: platform.config.database.url }
  const invited = await startPlatform(t, { env: { ...env, ...database, REGISTRATION: 'invited' } })
  const closed = await startPlatform(t, { env: { ...env, ...database, REGISTRATION: 'closed' } })
  idp.open([platform, invited, closed].map((one) => callbackOf(one)))
  let count = 0
  /** Somebody whom the provider knows, by default with an address that it has verified. */
  const known = (account: { email?: string; email_verified?: boolean } = {}) => {
    const user = `user-${(count += 1)}`
    const { email = `${user}@example.com`, email_verified: isVerified = true } = account
    idp.accounts.set(user, { email, email_verified: isVerified })
    return { user, email }
  }
  return { idp, platform, invited, closed, known }
})

/** Beside the one that ties the browser to the attempt, so that its page may be loaded again. */
const loginCookiesOf = ({ cookies }: { cookies: Map<string, string> }): string[] =>
  [...cookies.keys()].filter((name) => !name.startsWith('switchyard_sign_in_')).toSorted()

const accountOf = async (client: Client) => (await call(client, auth.me)).body
const linking = (someone: Person, currentPassword: string | undefined = someone.password) =>
  call(someone, signIn.linkIdentity, {
    body: { provider: providerId, ...(currentPassword !== '' && { currentPassword }) },
  })

test('whom a provider signs in gets an account with the verified address, and the same one again, whatever it says then', async (t) => {
  const { platform, idp, known } = await open()
  const { user, email } = known()
  const { items } = (await call(platform, signIn.listSignInProviders)).body
  t.like(items, { 0: { provider: 'oidc', title: 'Example staff' }, length: 1 })
  const first = await signInBy(platform, { providerId, user })
  t.is(first.status, 200, first.text)
  const account = await accountOf(clientOf(platform, first.by))
  t.is(account.email, email)
  t.not(account.emailVerifiedAt, null)
  const victim = await newcomer(platform)
  idp.accounts.set(user, { email: victim.email, email_verified: true })
  const again = clientOf(platform, (await signInBy(platform, { providerId, user })).by)
  t.is(await userIdOf(again), account.id, 'known by issuer and subject, not by the address')
  t.is((await call(again, logins.listLogins)).body.items.length, 2)
  t.is((await call(again, signIn.listIdentities)).body.items.length, 1)
})

test('the tokens are in cookies that no script reads, and the browser goes to the path that was asked for', async (t) => {
  const { platform, known } = await open()
  const query = `?returnTo=${encodeURIComponent('/console/日?tab=1#runs')}`
  const { status, location, text, set, by } = await signInBy(platform, { providerId, user: known().user, query })
  t.deepEqual([status, location, text], [303, '/console/%E6%97%A5?tab=1#runs', ''])
  for (const line of set) t.regex(line, /^switchyard_.*; httponly/i)
  t.deepEqual(loginCookiesOf(by), ['switchyard_access', 'switchyard_refresh'])
})

test('one is sent back to no other host, however it is written', async (t) => {
  const { platform } = await open()
  const elsewhere = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/\t/evil.example',
    '/.//evil.example',
  ]
  for (const path of [...elsewhere, 'javascript:alert(1)', '/ x', '', `/${'a'.repeat(600)}`]) {
    const page = await visit(platform, visitor(), `/auth/oidc/oidc/start?returnTo=${encodeURIComponent(path)}`)
    t.deepEqual([page.status, page.location], [400, ''], path)
  }
})

test('an address that an account has, or that is not verified, makes no account and opens none', async (t) => {
  const { platform, idp, known } = await open()
  const someone = await newcomer(platform)
  const taken = await signInBy(platform, { providerId, user: known({ email: someone.email.toUpperCase() }).user })
  t.is(taken.status, 400)
  t.regex(taken.text, /Sign in to it as usual, then link the sign-in provider/)
  t.false(taken.by.cookies.has('switchyard_access'))
  t.deepEqual((await call(someone, signIn.listIdentities)).body.items, [])
  idp.accounts.set('nobody', {})
  for (const [user, status] of [
    [known({ email_verified: false }).user, 403],
    ['nobody', 403],
    [known({ email_verified: 'false' as never }).user, 403],
    [known({ email: 'no address' }).user, 400],
  ] as const)
    t.is((await signInBy(platform, { providerId, user })).status, status, user)
})

test('where accounts need an invitation, one of the same address is used up; where there are none, nobody gets one', async (t) => {
  const { platform, invited, closed, known } = await open()
  const { user, email } = known()
  const statusAt = async (at: Client) => (await signInBy(at, { providerId, user })).status
  t.deepEqual([await statusAt(closed), await statusAt(invited)], [403, 403])
  await invite(platform.services, 'another@example.com')
  t.is(await statusAt(invited), 403)
  await invite(platform.services, email)
  const invitation = platform.services.database('account_tokens').where({ email, purpose: 'invite' })
  const [{ expiresAt } = t.fail()] = (await invitation.clone()) as { expiresAt: Date }[]
  await invitation.clone().update({ expiresAt: new Date() })
  t.is(await statusAt(invited), 403, 'it is over')
  await invitation.clone().update({ expiresAt })
  t.is(await statusAt(invited), 200)
  t.is((await invitation).length, 0)
  t.is(await statusAt(closed), 200, 'who has an account signs in')
})

test('whoever has no password is told so where it is asked for, keeps the last way in, and gets a password by mail', async (t) => {
  const { platform, known } = await open()
  const { user, email } = known()
  const someone = clientOf(platform, (await signInBy(platform, { providerId, user })).by)
  const currentPassword = 'a good password'
  const logIn = () => call(platform, auth.login, { body: { email, password: currentPassword } })
  const changed = { body: { currentPassword, newPassword: 'another password' } }
  const { code, error } = (await call(someone, auth.changePassword, changed)).failure
  t.deepEqual(
    [code, error],
    ['UNAUTHORIZED', 'This account has no password yet. Set one with POST /auth/forgot-password.'],
  )
  const moved = { body: { currentPassword, newEmail: 'new@example.com' } }
  t.is((await call(someone, accountMails.changeEmail, moved)).failure.code, 'UNAUTHORIZED')
  t.is((await logIn()).failure.code, 'UNAUTHORIZED')
  const [identity] = (await call(someone, signIn.listIdentities)).body.items
  const params = { identityId: identity?.id ?? '' }
  t.is((await call(someone, signIn.unlinkIdentity, { params })).failure.code, 'PERMISSION_DENIED')
  const token = await resetTokenOf(platform, email)
  await call(platform, accountMails.resetPassword, { body: { token, newPassword: currentPassword } })
  const { accessToken } = (await logIn()).body
  t.is((await call({ ...someone, token: accessToken }, signIn.unlinkIdentity, { params })).status, 204)
})

test('who is logged in links a provider, which signs in to that account alone, and unlinks it', async (t) => {
  const { platform, known } = await open()
  const [someone, another] = [await verified(platform), await verified(platform)]
  const { user } = known()
  t.is((await linkTo(someone, providerId, user)).status, 200)
  t.is((await linkTo(another, providerId, user)).status, 400, 'it is linked to somebody else')
  t.true((await mailsTo(platform, someone.email)).some(({ subject }) => subject === 'A sign-in provider was linked'))
  const other = clientOf(platform, (await signInBy(platform, { providerId, user })).by)
  t.is((await accountOf(other)).email, someone.email)
  t.is((await linkTo(someone, providerId, user)).status, 200, 'it is safe to repeat')
  const [identity, ...more] = (await call(someone, signIn.listIdentities)).body.items
  t.deepEqual(more, [])
  await call(someone, signIn.unlinkIdentity, { params: { identityId: identity?.id ?? '' } })
  t.is((await call(other, auth.me)).failure.code, 'TOKEN_REVOKED')
  t.is((await call(someone, auth.me)).status, 200)
  t.is((await linkTo(someone, providerId, user)).status, 200)
  const signedIn = async () => clientOf(platform, (await signInBy(platform, { providerId, user })).by)
  const row = { provider: 'oidc', workspaceProviderId: null, issuer: 'https://idp.example.com', linkedAt: new Date() }
  const own = { ...row, userId: await userIdOf(another) }
  const twenty = Array.from({ length: 20 }, () => ({ ...own, id: newId(), subject: newId() }))
  await platform.services.database('identities').insert(twenty)
  t.is((await linkTo(another, providerId, known().user)).status, 403, 'one has twenty at most')
  const [asking, elsewhere] = [await signedIn(), await signedIn()]
  const [again] = (await call(asking, signIn.listIdentities)).body.items
  await call(asking, signIn.unlinkIdentity, { params: { identityId: again?.id ?? '' } })
  t.is((await call(elsewhere, auth.me)).failure.code, 'TOKEN_REVOKED')
  t.is((await call(asking, auth.me)).status, 200, 'the login that asks goes on')
})

test('nobody links a provider before their address is verified, without the password, or once they may act no more', async (t) => {
  const { platform, known } = await open()
  t.is((await linking(await newcomer(platform))).failure.code, 'PERMISSION_DENIED')
  const someone = await verified(platform)
  t.is((await linking(someone, '')).failure.code, 'UNAUTHORIZED', 'an access token is not enough')
  const ends: Record<string, (one: Person) => Promise<{ status: number }>> = {
    'has logged out': (one) => call(one, auth.logout),
    'is suspended': (one) => suspend(platform, one),
    'leaves the platform': (one) => call(one, auth.deleteAccount, { body: { password: one.password } }),
  }
  for (const [what, end] of Object.entries(ends)) {
    const [one, by] = [await verified(platform), visitor()]
    const { linkUrl } = (await linking(one)).body
    const back = await signInAt((await visit(platform, by, linkUrl)).location, { user: known().user })
    t.true((await end(one)).status < 300, what)
    t.is((await visit(platform, by, back)).status, 403, what)
  }
})

test('a provider signs nobody in who is suspended, or whose account is being deleted', async (t) => {
  const { platform, known } = await open()
  const { database } = platform.services
  const { user } = known()
  const ownerId = await userIdOf(clientOf(platform, (await signInBy(platform, { providerId, user })).by))
  const status = async () => (await signInBy(platform, { providerId, user })).status
  const suspendedSince = (suspendedAt: Date | null) => database('users').where({ id: ownerId }).update({ suspendedAt })
  await suspendedSince(new Date())
  t.is(await status(), 403)
  await suspendedSince(null)
  const [now, soon] = [new Date(), new Date(Date.now() + 3_600_000)]
  await database('deletions').insert({ ownerId, requestedAt: now, dueAt: soon, nextAt: soon })
  t.is(await status(), 200, 'to restore it')
  await database('deletions').where({ ownerId }).update({ dueAt: now })
  t.is(await status(), 403)
})

test('a page names the account before it is linked, and its link is for the browser that has seen it', async (t) => {
  const { platform } = await open()
  const someone = await verified(platform)
  const { linkUrl } = (await linking(someone)).body
  const [victim, attacker] = [visitor(), visitor()]
  const page = await visit(platform, victim, linkUrl, 'text/html')
  t.is(page.status, 200)
  t.regex(page.text, new RegExp(`linked to the account ${someone.email}`))
  const link = /href="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  t.is((await visit(platform, attacker, link, 'text/html')).status, 200, 'it is shown the page, too')
  t.is((await visit(platform, victim, link, 'text/html')).status, 303)
  t.is((await visit(platform, attacker, link, 'text/html')).status, 400, 'it was opened in another browser')
})

test('a callback signs in once, in the browser that began, at the address of its provider, and for ten minutes', async (t) => {
  const { platform, known } = await open()
  const { user } = known()
  const begin = async (by = visitor()) => {
    const back = await signInAt(await beginSignIn(platform, by, providerId), { user })
    return { by, back, cookies: [...by.cookies] }
  }
  const first = await begin()
  t.is((await visit(platform, visitor(), first.back)).status, 400, 'in another browser')
  const [name = ''] = first.by.cookies.keys()
  const [own = ''] = (await begin()).by.cookies.values()
  t.is((await visit(platform, { cookies: new Map([[name, own]]) }, first.back)).status, 400, 'with a cookie of its own')
  const elsewhere = first.back.replace('/oidc/oidc/', '/oidc/other/')
  t.is((await visit(platform, first.by, elsewhere)).status, 400, 'by the address of another provider')
  t.is((await visit(platform, first.by, first.back)).status, 200)
  const second = await visit(platform, { cookies: new Map(first.cookies) }, first.back)
  t.deepEqual([second.status, second.set], [200, []], 'a second time it shows the outcome, without a login')
  const late = await begin()
  const stateHash = hashToken(new URL(late.back).searchParams.get('state') ?? '')
  await platform.services.database('sign_in_flows').where({ stateHash }).update({ expires_at: new Date() })
  t.is((await visit(platform, late.by, late.back)).status, 400, 'too late')

  // Whoever plants the cookies of a login of theirs is not whom the browser is signed in as.
  const attacker = await signInBy(platform, { providerId, user: known().user })
  const planted = await begin({ cookies: new Map(attacker.by.cookies) })
  t.is((await visit(platform, planted.by, planted.back)).status, 200)
  t.is((await accountOf(clientOf(platform, planted.by))).email, `${user}@example.com`)
  t.is((await call(clientOf(platform, attacker.by), auth.me)).status, 200)
})

test('what the provider says about a refusal is shown as text, and signs nobody in', async (t) => {
  const { platform, idp } = await open()
  const by = visitor()
  const denied = await signInAt(await beginSignIn(platform, by, providerId), { user: 'x', deny: true })
  const page = await visit(platform, by, denied, 'text/html')
  t.is(page.status, 403)
  t.regex(page.text, /denied at the sign-in provider/)
  const state = new URL(await beginSignIn(platform, by, providerId)).searchParams.get('state') ?? ''
  const said = { error: 'server_error', error_description: '<script>alert(1)</script>', iss: idp.origin, state }
  const back = `${callbackOf(platform)}?${new URLSearchParams(said).toString()}`
  const shown = await visit(platform, by, back, 'text/html')
  t.is(shown.status, 403)
  t.regex(shown.text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/)
})

test('a network begins a hundred sign-ins at a time, and what is over is deleted', async (t) => {
  const { platform } = await open()
  const { database, signIn: services } = platform.services
  const provider = await services.providers.find(providerId)
  const begin = () => services.flows.begin({ provider, address: '192.0.2.7' })
  for (let count = 0; count < 100; count += 1) await begin()
  await t.throwsAsync(begin(), { message: /^Too many sign-ins were started/ })
  const rows = database('sign_in_flows').whereLike('network', '192.0.2.%')
  const someone = await verified(platform)
  const [login] = (await call(someone, logins.listLogins)).body.items
  const linking = { userId: await userIdOf(someone), loginId: login?.id ?? '' }
  await services.flows.begin({ provider, address: '192.0.2.7', linking })
  const two = rows.clone().orderBy('id').limit(2).select('id')
  await database('sign_in_flows').whereIn('id', two).update({ endedAt: new Date() })
  await services.flows.begin({ provider, address: '192.0.2.7' })
  t.is(await rows.clone().update({ expires_at: new Date(Date.now() - 3_700_000) }), 102)
  await services.flows.purge()
  t.deepEqual(await rows, [])
})
