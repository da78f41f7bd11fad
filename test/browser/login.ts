import test from 'ava'
import { agentOf, person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { openBrowser } from './open-browser.ts'
import { startWebsite } from './website.ts'

/* Globals of the page. */
declare const location: { href: string }
declare const document: {
  cookie: string
  body: { append: (child: unknown) => void }
  createElement: (name: 'form') => { submit: () => void }
}

const open = forWholeFile(test, 'logins in a browser', async (t) => {
  const website = await startWebsite(t)
  // Listed, so that only the cookies keep its pages out. By this name it is another site, not only another origin.
  const elsewhere = website.replace('127.0.0.1', 'localhost')
  const platform = await startPlatform(t, { env: { CORS_ORIGINS: `${website},${elsewhere}` } })
  return { platform, website, elsewhere, openPage: await openBrowser(t), someone: await person(platform) }
})

interface Asked {
  url: string
  method?: string
  body?: string
  headers?: Record<string, string>
}

/** Runs in the page. The status is 0 where the browser refuses to ask, or to show the answer. */
const fetched = async ({ url, headers = {}, ...init }: Asked) => {
  try {
    const type = { 'content-type': 'application/json' }
    const response = await fetch(url, { ...init, headers: { ...type, ...headers }, credentials: 'include' })
    return { status: response.status, text: await response.text() }
  } catch {
    return { status: 0, text: '' }
  }
}

test('a page of the platform logs in by cookie, changes things, reads a stream, comes back from elsewhere and logs out', async (t) => {
  const { platform, elsewhere, openPage, someone } = await open()
  const page = await openPage()
  await page.goto(`${platform.url}/docs`)
  const ask = (method: string, path: string, more: Partial<Asked> = {}) =>
    page.evaluate(fetched, { url: `${platform.url}${path}`, method, ...more })
  const body = JSON.stringify({ email: someone.email, password: someone.password, cookie: true })
  t.is((await ask('POST', '/auth/login', { body })).status, 201)
  t.is(await page.evaluate(() => document.cookie), '')
  await page.reload()
  const { csrfToken } = JSON.parse((await ask('GET', '/auth/csrf')).text) as { csrfToken: string }
  const headers = { 'x-csrf-token': csrfToken }
  t.is((await ask('POST', '/auth/accept-terms')).status, 403)
  t.is((await ask('POST', '/auth/accept-terms', { headers })).status, 200)
  const { id: runId } = (await start(someone, await agentOf(someone))).body
  const kind = await page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const source = new EventSource(url)
        source.addEventListener('accepted', () => {
          source.close()
          resolve('accepted')
        })
        source.addEventListener('error', () => resolve('error'))
      }),
    `${platform.url}/runs/${runId}/events`,
  )
  t.is(kind, 'accepted')
  await page.goto(elsewhere)
  await page.evaluate((url) => void (location.href = url), `${platform.url}/docs`)
  await page.waitForURL(`${platform.url}/docs`)
  t.is((await ask('GET', '/auth/me')).status, 200)
  t.is((await ask('POST', '/auth/refresh', { body: '{"cookie":true}' })).status, 201)
  t.is((await ask('POST', '/auth/logout', { headers })).status, 204)
  t.is((await ask('GET', '/auth/me')).status, 401)
  t.deepEqual(await page.context().cookies(), [])
})

test('a page of another origin, or of another site, does nothing with the cookies of the platform', async (t) => {
  const { platform, website, elsewhere, openPage, someone } = await open()
  const page = await openPage()
  await page.goto(`${platform.url}/docs`)
  const body = JSON.stringify({ email: someone.email, password: someone.password, cookie: true })
  const login = await page.evaluate(fetched, { url: `${platform.url}/auth/login`, method: 'POST', body })
  const { csrfToken } = JSON.parse(login.text) as { csrfToken: string }
  const before = await page.context().cookies()
  for (const origin of [website, elsewhere]) {
    await page.goto(origin)
    const ask = (method: string, path: string, more: Partial<Asked> = {}) =>
      page.evaluate(fetched, { url: `${platform.url}${path}`, method, ...more })
    t.is((await ask('GET', '/auth/csrf')).status, 0, origin)
    t.is((await ask('POST', '/auth/refresh', { body: '{"cookie":true}' })).status, 0, origin)
    t.is((await ask('POST', '/auth/login', { body })).status, 0, origin)
    t.is((await ask('POST', '/auth/logout', { headers: { 'x-csrf-token': csrfToken } })).status, 0, origin)
    // A form needs no preflight; its answer replaces the page.
    await page.evaluate((action) => {
      const form = Object.assign(document.createElement('form'), { method: 'post', action, enctype: 'text/plain' })
      document.body.append(form)
      form.submit()
    }, `${platform.url}/auth/logout`)
    await page.waitForURL(`${platform.url}/auth/logout`)
  }
  await page.goto(`${platform.url}/docs`)
  t.is((await page.evaluate(fetched, { url: `${platform.url}/auth/me` })).status, 200)
  t.deepEqual(await page.context().cookies(), before)
})
