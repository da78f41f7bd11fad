import test from 'ava'
import type { Page } from 'playwright-core'
import { freePorts } from '../../bin/local/ports.ts'
import * as signIn from '../../api/sign-in.ts'
import { call } from '../helpers/client.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { signInAt, startIdentityProvider } from '../helpers/identity-provider.ts'
import { startPlatform } from '../helpers/platform.ts'
import { beginSignIn, callbackOf, environmentOf, visit, visitor } from '../helpers/sign-ins.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { verified } from '../helpers/workspaces.ts'
import { openBrowser } from './open-browser.ts'

/** A platform with a sign-in provider at another site, and a browser. */
const open = forWholeFile(test, 'signing in in a browser', async (t) => {
  const [port = 0] = await freePorts(1)
  // Another site than 127.0.0.1, where the provider is: strict cookies are not sent when it leads here.
  const BASE_URL = `http://localhost:${port}`
  const idp = await startIdentityProvider(t)
  const { caFile } = await temporaryCertificates()
  const platform = await startPlatform(t, { port, env: { ...environmentOf(idp), SITE_CA_FILE: caFile, BASE_URL } })
  idp.open([callbackOf({ url: BASE_URL })])
  return { idp, platform, baseUrl: BASE_URL, openPage: await openBrowser(t) }
})

interface Asked {
  method?: string
  path: string
  body?: unknown
  csrf?: string
}

/** Runs in a page of the platform: asks the API as the console would, with the cookies of the browser. */
const asked = async ({ method = 'GET', path, body, csrf }: Asked) => {
  const headers = { 'content-type': 'application/json', ...(csrf !== undefined && { 'x-csrf-token': csrf }) }
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(path, { method, headers, ...content })
  const text = await response.text()
  return { status: response.status, json: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> }
}

async function signInAtProvider(page: Page, user: string): Promise<void> {
  await page.getByLabel('User').fill(user)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('a person signs in through a provider in a browser, and pages of the platform have the login', async (t) => {
  const { idp, baseUrl, openPage } = await open()
  idp.accounts.set('ada', { email: 'ada@example.com', email_verified: true })
  const page = await openPage()
  await page.goto(`${baseUrl}/auth/oidc/oidc/start?returnTo=/docs`)
  await signInAtProvider(page, 'ada')
  await page.waitForURL(`${baseUrl}/docs`)
  const me = await page.evaluate(asked, { path: '/auth/me' })
  t.is(me.status, 200)
  t.is(me.json['email'], 'ada@example.com')
  const cookies = await page.context().cookies(baseUrl)
  t.true(cookies.length > 0 && cookies.every(({ httpOnly }) => httpOnly), 'no script reads the tokens')
  const refused = await page.evaluate(asked, { method: 'POST', path: '/auth/accept-terms' })
  t.is(refused.json['code'], 'PERMISSION_DENIED', 'without the CSRF token')
  const csrf = String((await page.evaluate(asked, { path: '/auth/csrf' })).json['csrfToken'])
  t.is((await page.evaluate(asked, { method: 'POST', path: '/auth/accept-terms', csrf })).status, 200)
  t.is((await page.evaluate(asked, { method: 'POST', path: '/auth/logout', csrf })).status, 204)
  t.is((await page.evaluate(asked, { path: '/auth/me' })).status, 401)
})

test('a person links a provider in a browser after a page that names the account, and then signs in by it', async (t) => {
  const { idp, platform, baseUrl, openPage } = await open()
  idp.accounts.set('grace', {})
  const someone = { ...(await verified(platform)), url: platform.url }
  const { linkUrl } = (
    await call(someone, signIn.linkIdentity, { body: { provider: 'oidc', currentPassword: someone.password } })
  ).body
  const page = await openPage()
  await page.goto(linkUrl)
  t.true((await page.innerText('main')).includes(`linked to the account ${someone.email}`))
  await page.getByRole('link', { name: `Continue to ${idp.host}` }).click()
  await signInAtProvider(page, 'grace')
  await page.getByText('is linked').waitFor()
  const other = await openPage()
  await other.goto(`${baseUrl}/auth/oidc/oidc/start?returnTo=/docs`)
  await signInAtProvider(other, 'grace')
  await other.waitForURL(`${baseUrl}/docs`)
  t.is((await other.evaluate(asked, { path: '/auth/me' })).json['email'], someone.email)
})

test("an attacker's callback, opened in the browser of another person, signs nobody in there", async (t) => {
  const { idp, platform, baseUrl, openPage } = await open()
  idp.accounts.set('eve', { email: 'eve@example.com', email_verified: true })
  const attacker = visitor()
  const callback = await signInAt(await beginSignIn(platform, attacker, 'oidc'), { user: 'eve' })
  const victim = await openPage()
  await victim.goto(callback)
  t.regex(await victim.innerText('main'), /started in another browser/)
  // That page may fetch nothing.
  await victim.goto(`${baseUrl}/docs`)
  t.is((await victim.evaluate(asked, { path: '/auth/me' })).status, 401)
  t.is((await visit(platform, attacker, callback)).status, 200, 'it was good')
})
