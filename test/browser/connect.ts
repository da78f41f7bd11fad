// @promise oauth
import test from 'ava'
import type { Page } from 'playwright-core'
import * as oauth from '../../api/oauth.ts'
import * as vault from '../../api/vault.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { call } from '../helpers/client.ts'
import { startOAuthSites } from '../helpers/connect.ts'
import { agentOf, customer, ended, timelineOf } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { openBrowser } from './open-browser.ts'

/** A platform at an address that the contacts site knows as the one to send browsers back to, and a browser. */
const open = forWholeFile(test, 'connecting in a browser', async (t) => {
  const [port = 0] = await freePorts(1)
  const BASE_URL = `http://127.0.0.1:${port}`
  const { contacts, sites } = await startOAuthSites(t, { redirectUris: [`${BASE_URL}/vault/oauth/callback`] })
  const platform = await startPlatform(t, { sites, port, env: { BASE_URL }, worker: true })
  return { contacts, platform, openPage: await openBrowser(t) }
})

/** Somebody who has connected nothing yet. */
async function openFor() {
  const { contacts, platform, openPage } = await open()
  const someone = await customer(platform)
  const begin = async () => (await call(someone, oauth.startOAuth, { body: { url: contacts.origin } })).body
  return { contacts, someone, begin, openPage }
}

async function signIn(page: Page, user: string): Promise<void> {
  await page.getByLabel('User').fill(user)
  await page.getByLabel('Password').fill(`${user}-password`)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Opens the address as the person who was given it, and goes on to the site. */
async function goOn(page: Page, connectUrl: string): Promise<void> {
  await page.goto(connectUrl)
  await page.getByRole('link', { name: 'Continue to “Example contacts”' }).click()
}

const heading = (page: Page): Promise<string | null> => page.getByRole('heading').textContent()

test('a person connects a site in a browser through login and consent, and an agent uses it', async (t) => {
  const { contacts, someone, begin, openPage } = await openFor()
  const { connectUrl, id: flowId } = await begin()
  const page = await openPage()
  await page.goto(connectUrl)
  t.true((await page.innerText('main')).includes(`connected to the vault of the account`))
  await goOn(page, connectUrl)
  await signIn(page, 'ada')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('is connected').waitFor()
  t.is(await heading(page), '“Example contacts” is connected')

  const { entryId } = (await call(someone, oauth.getOAuthFlow, { params: { flowId } })).body
  t.truthy(entryId)
  const agent = await agentOf(someone, {
    systemPrompt: '[[call crm.searchContacts {}]]',
    sites: [{ vaultEntryId: entryId ?? '' }],
  })
  const { id } = (await start(someone, agent)).body
  t.is((await ended(someone, id)).status, 'completed')
  t.like(dataOf(await timelineOf(someone, id), 'tool.finished')[0], { status: 'succeeded', httpStatus: 200 })
  t.like(contacts.requests(), { 0: { tool: 'crm.searchContacts', user: 'ada' }, length: 1 })
})

test('a person who says no at the site, comes twice or with another browser is told so in plain words', async (t) => {
  const { someone, begin, openPage } = await openFor()
  const page = await openPage()
  const first = await begin()
  await goOn(page, first.connectUrl)
  await signIn(page, 'bob')
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByText('denied at the site').waitFor()
  const callback = page.url()

  await page.goto(callback)
  t.regex(await page.innerText('main'), /denied at the site/)

  const second = await begin()
  await goOn(page, second.connectUrl)
  const stranger = await openPage()
  await stranger.goto(second.connectUrl)
  t.regex(await stranger.innerText('main'), /already been opened in another browser/)
  t.deepEqual((await call(someone, vault.listVault)).body.items, [])
})

test('a person who has the address open in two tabs can finish in either', async (t) => {
  const { someone, begin, openPage } = await openFor()
  const { connectUrl, id: flowId } = await begin()
  const first = await openPage()
  const second = await first.context().newPage()
  await goOn(first, connectUrl)
  await goOn(second, connectUrl)
  await signIn(first, 'ada')
  await first.getByRole('button', { name: 'Allow' }).click()
  await first.getByText('is connected').waitFor()
  t.is((await call(someone, oauth.getOAuthFlow, { params: { flowId } })).body.status, 'connected')
})
