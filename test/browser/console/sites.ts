// @promise oauth
import test from 'ava'
import { freePorts } from '../../../bin/local/ports.ts'
import { buildConsole } from '../../../bin/local/console.ts'
import { documentOf, parameter, startApi } from '../../helpers/api-server.ts'
import { startChangingSite } from '../../helpers/changing-site.ts'
import * as documents from '../../../api/documents.ts'
import * as vault from '../../../api/vault.ts'
import { call } from '../../helpers/client.ts'
import { startOAuthSites } from '../../helpers/connect.ts'
import { startAuthorizedMcpServer } from '../../helpers/mcp-authorization.ts'
import { startMcpServer } from '../../helpers/mcp-server.ts'
import { agentOf, customer, type Person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { openBrowser } from '../open-browser.ts'
import { press, type } from './keyboard.ts'
import { look } from './look.ts'
import { signIn } from './stage.ts'
import { watched } from './watched.ts'

/** The operations of an API: more than are shown at once. */
const pets = {
  ...Object.fromEntries(
    Array.from({ length: 60 }, (_, number) => [
      `GET /orders/${number}`,
      { operationId: `order_${number}`, tags: ['orders'] },
    ]),
  ),
  'GET /pets/{id}': { operationId: 'get_pet', tags: ['pets'], parameters: [parameter('id', 'path')] },
  'DELETE /pets/{id}': { operationId: 'delete_pet', tags: ['pets'], parameters: [parameter('id', 'path')] },
}

/** A platform at an address to which the contacts site sends browsers back, and a site that changes its tools. */
const open = forWholeFile(test, 'sites in the console', async (t) => {
  await buildConsole(() => {})
  const [port = 0] = await freePorts(1)
  const BASE_URL = `http://127.0.0.1:${port}`
  const { contacts, sites } = await startOAuthSites(t, { redirectUris: [`${BASE_URL}/vault/oauth/callback`] })
  const changing = await startChangingSite(t)
  const proposing = await startMcpServer(t)
  const { server: open, issuer } = await startAuthorizedMcpServer(t)
  const { guard } = open
  open.guard = async (received, response) => received.method === 'tools/call' && guard(received, response)
  const api = await startApi(t, pets)
  const hosts = [proposing.url, open.url, issuer, api.origin].map((url) => new URL(url).host)
  const all = { ...sites, allow: [...sites.allow, ...changing.allow, ...hosts] }
  const platform = await startPlatform(t, { sites: all, port, env: { BASE_URL }, worker: true })
  return { contacts, sites, changing, proposing, open, api, platform, openPage: await openBrowser(t) }
})

async function visiting(t: Parameters<typeof watched>[0]) {
  const stage = await open()
  const someone: Person = await customer(stage.platform)
  const page = watched(t, await stage.openPage())
  await signIn(page, someone, `${stage.platform.url}/console`)
  return { ...stage, someone, page }
}

test.serial(
  'a site is inspected and connected with a token by keyboard, and the page says what it can do',
  async (t) => {
    const { page, sites } = await visiting(t)
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.getByRole('heading', { name: 'No site is connected' }).waitFor()
    await look(t, page, 'sites-empty')
    await press(page, page.getByRole('link', { name: 'Connect a site' }))
    await type(page, page.getByLabel('Address of the site'), sites.tracker.origin)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Connect it' }).waitFor()
    await look(t, page, 'connect')
    await type(page, page.getByLabel('Token'), sites.tracker.createToken('ada', 'admin'))
    await page.keyboard.press('Enter')
    await page.getByText('Agents can now do this there').waitFor()
    t.regex(await page.innerText('main'), /Delete things\s+delete_issue/)
    await look(t, page, 'connected')
    await press(page, page.getByRole('link', { name: 'Open the site' }))
    await press(page, page.getByRole('link', { name: 'Call search_issues' }))
    await press(page, page.getByRole('button', { name: 'Call search_issues' }))
    await page.getByText('succeeded').waitFor()
    await look(t, page, 'tool')
    await press(page, page.getByRole('link', { name: 'Record of the call' }))
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    await look(t, page, 'call')
    await press(page, page.getByRole('link', { name: 'Direct calls' }))
    await page
      .getByRole('link', { name: /search_issues/ })
      .first()
      .waitFor()
    await look(t, page, 'calls')
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.getByRole('link', { name: /Example issue tracker/ }).waitFor()
    await look(t, page, 'sites')
  },
)

test.serial('what a site proposes is confirmed for all of its tools at once, and taken back for one', async (t) => {
  const { page, platform, proposing, someone } = await visiting(t)
  const { id: entryId } = (await call(someone, vault.addToVault, { body: { url: proposing.url } })).body
  const effects = async () =>
    (await call(someone, vault.listTools, { params: { entryId } })).body.items.map(({ effect }) => effect)
  await page.goto(`${platform.url}/console/w/me/sites/${entryId}`)
  await page.getByText(/failed calls of 2 tools may be sent again/).waitFor()
  await page.getByText('proposed: reads').waitFor()
  await look(t, page, 'proposals')
  await press(page, page.getByRole('button', { name: 'Confirm all proposals' }))
  await page.getByRole('heading', { name: 'Confirm 2 proposals?' }).waitFor()
  await look(t, page, 'proposals-confirm')
  await press(page, page.getByRole('button', { name: 'Confirm all', exact: true }))
  await page.getByText('2 effects changed.').waitFor()
  t.deepEqual(await effects(), ['read', 'once', 'once', 'idempotent'])
  await page.locator('summary', { hasText: 'Counts.' }).click()
  await press(page, page.getByRole('button', { name: 'Never send it twice' }))
  await page.getByText('Not confirmed, so failed calls are not sent again.').waitFor()
  await look(t, page, 'proposal')
  t.deepEqual(await effects(), ['read', 'once', 'once', 'once'])
})

test.serial('signing in at a site leads back to the page where it began, whatever one decides there', async (t) => {
  const { page, contacts, platform } = await visiting(t)
  const url = encodeURIComponent(contacts.origin)
  await page.goto(`${platform.url}/console/w/me/sites/connect?url=${url}`)
  const goToSite = async () => {
    await press(page, page.getByRole('button', { name: 'Continue to the site' }))
    await press(page, page.getByRole('link', { name: 'Continue to “Example contacts”' }))
  }
  await goToSite()
  await page.getByLabel('User').fill('ada')
  await page.getByLabel('Password').fill('ada-password')
  await press(page, page.getByRole('button', { name: 'Sign in' }))
  await press(page, page.getByRole('button', { name: 'Deny' }))
  await page.getByText('denied at the site').waitFor()
  t.is(new URL(page.url()).pathname, '/console/w/me/sites/connect')
  t.false(page.url().includes('flow='))
  await goToSite()
  await press(page, page.getByRole('button', { name: 'Allow' }))
  await page.getByText('Agents can now do this there').waitFor()
  await press(page, page.getByRole('link', { name: 'Open the site' }))
  await page.getByRole('heading', { name: 'Refreshes of the login' }).waitFor()
  await look(t, page, 'site-oauth')
  const address = page.url()
  await press(page, page.getByRole('button', { name: 'Reconnect' }))
  await goToSite()
  await press(page, page.getByRole('button', { name: 'Allow' }))
  await page.getByText('Runs that waited for it continue').waitFor()
  t.is(page.url(), address)
})

test.serial('a server that lists its tools to everybody is signed in at, or connected without that', async (t) => {
  const { page, platform, someone, open: server } = await visiting(t)
  const connect = `${platform.url}/console/w/me/sites/connect?url=${encodeURIComponent(server.url)}`
  await page.goto(connect)
  await page.getByText('The site shows its tools without that').waitFor()
  await look(t, page, 'connect-optional-sign-in')
  t.true(await page.getByRole('button', { name: 'Sign in' }).isDisabled())
  await press(page, page.getByRole('button', { name: 'Connect without sign-in' }))
  await page.getByText('Agents can now do this there').waitFor()
  await press(page, page.getByRole('link', { name: 'Open the site' }))
  // It refuses calls without sign-in, so the connection is dead, and a token is not the only way to reconnect it.
  const entryId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await call(someone, vault.callTool, { params: { entryId, toolName: 'count' }, body: {} })
  await page.reload()
  await press(page, page.getByRole('button', { name: 'Reconnect' }))
  await page.getByRole('dialog').getByLabel('Token').waitFor()
  await page.getByRole('dialog').getByRole('checkbox').focus()
  await page.keyboard.press('Space')
  await look(t, page, 'reconnect-optional-sign-in')
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Continue to the site' }))
  await page.getByRole('link', { name: /Continue to/ }).waitFor()
  await page.goto(`${platform.url}/console/w/me/sites/${entryId}`)
  await press(page, page.getByRole('button', { name: 'Disconnect' }))
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }))
  await page.getByRole('heading', { name: 'No site is connected' }).waitFor()
  await page.goto(connect)
  await page.getByRole('checkbox').focus()
  await page.keyboard.press('Space')
  await press(page, page.getByRole('button', { name: 'Sign in' }))
  await press(page, page.getByRole('link', { name: /Continue to/ }))
  await page.getByLabel('User').fill('ada')
  await press(page, page.getByRole('button', { name: 'Allow' }))
  await page.getByText('Agents can now do this there').waitFor()
  t.regex(await page.innerText('main'), /count/)
})

test.serial('a change of a site is shown before and after, and accepted once its hosts are ticked', async (t) => {
  const { page, changing, platform, someone } = await visiting(t)
  await page.goto(`${platform.url}/console/w/me/sites/connect?url=${encodeURIComponent(changing.origin)}`)
  await type(page, page.getByLabel('Token'), 'a-token')
  await page.keyboard.press('Enter')
  await page.getByText('Agents can now do this there').waitFor()
  await press(page, page.getByRole('link', { name: 'Open the site' }))
  await page.getByRole('heading', { name: 'Agents that use it' }).waitFor()
  const entryId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await agentOf(someone, { name: 'Gardener', sites: [{ vaultEntryId: entryId }] })
  changing.change({ server: { url: `${changing.foreignOrigin}/v1` } })
  await press(page, page.getByRole('link', { name: 'Changes' }))
  await press(page, page.getByRole('button', { name: 'Check now' }))
  await page.getByRole('heading', { name: 'A change waits for you' }).waitFor()
  t.regex(await page.innerText('main'), /localhost/)
  await look(t, page, 'changes')
  const accept = page.getByRole('button', { name: 'Accept the whole change' })
  t.true(await accept.isDisabled())
  await page.getByRole('checkbox', { name: /localhost/ }).focus()
  await page.keyboard.press('Space')
  await press(page, accept)
  await page.getByText('is in use').waitFor()
  await page.getByText('Gardener').waitFor()
  await look(t, page, 'site')
  await press(page, page.getByRole('link', { name: 'Changes' }))
  await press(page, page.locator('summary').filter({ hasText: 'accepted' }))
  await page.getByText('Tool calls would go to').waitFor()
  await look(t, page, 'changes-earlier')
  await page.goBack()
  await press(page, page.getByRole('button', { name: 'Disconnect' }))
  await page.getByRole('dialog').getByText('Gardener').waitFor()
  await look(t, page, 'disconnect')
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }))
  await page.getByRole('heading', { name: 'No site is connected' }).waitFor()
})

test.serial('a call whose answer is lost says what that means and what one can do', async (t) => {
  const { page, sites, platform } = await visiting(t)
  await page.goto(`${platform.url}/console/w/me/sites/connect?url=${encodeURIComponent(sites.badTools.origin)}`)
  await type(page, page.getByLabel('Token'), 'a-token')
  await page.keyboard.press('Enter')
  await press(page, page.getByRole('link', { name: 'Open the site' }))
  await press(page, page.getByRole('link', { name: 'Call reset' }))
  await press(page, page.getByRole('button', { name: 'Call reset' }))
  await page.getByText('It is not known whether').waitFor()
  await press(page, page.getByRole('link', { name: 'What this means' }))
  await page.getByRole('heading', { name: 'What you can do' }).waitFor()
  t.regex(await page.innerText('main'), /Look at the site first/)
  await look(t, page, 'call-unknown')
})

test.serial('tools of an API are found and chosen, and others are chosen later', async (t) => {
  const { page, api, platform, someone } = await visiting(t)
  await page.goto(`${platform.url}/console/w/me/sites/connect?url=${encodeURIComponent(api.documentUrl)}`)
  await page.getByText('62 tools').waitFor()
  await page.getByText('the first 50 are shown').waitFor()
  t.true(await page.getByRole('button', { name: 'Connect site' }).isDisabled())
  await type(page, page.getByLabel('Search the tools'), 'delete pets')
  await page.keyboard.press('Enter')
  await page.getByText('1 tool', { exact: true }).waitFor()
  await page.getByRole('checkbox', { name: /delete_pet/ }).check({ force: true })
  await look(t, page, 'choose-tools')
  await press(page, page.getByRole('button', { name: 'Connect site' }))
  await page.getByText('Agents can now do this there').waitFor()
  await press(page, page.getByRole('link', { name: 'Open the site' }))
  await press(page, page.getByRole('button', { name: 'Choose tools' }))
  await page.getByRole('button', { name: 'Tag' }).click()
  await page.getByRole('option', { name: 'pets (2)' }).click()
  await page.getByRole('checkbox', { name: /get_pet/ }).check({ force: true })
  await page.getByRole('button', { name: 'Remove delete_pet' }).click()
  await look(t, page, 'change-choice')
  await page.getByRole('button', { name: 'Save choice' }).click()
  await page.getByText('The site has 1 tool now.').waitFor()
  const [entry] = (await call(someone, vault.listVault, {})).body.items
  const { items } = (await call(someone, vault.listTools, { params: { entryId: entry?.id ?? '' } })).body
  t.deepEqual(
    items.map(({ name }) => name),
    ['get_pet'],
  )
})

test.serial('an API is connected with a document from a file, which can be deleted then', async (t) => {
  const { page, api, platform, someone } = await visiting(t)
  await page.goto(`${platform.url}/console/w/me/sites/connect`)
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Upload an OpenAPI document' }).click(),
  ])
  const text = documentOf(api.serverUrl)
  await chooser.setFiles({ name: 'warehouse.yaml', mimeType: 'application/yaml', buffer: Buffer.from(text) })
  await page.getByRole('heading', { name: 'Warehouse' }).waitFor()
  await page.getByRole('checkbox', { name: /list_pets/ }).check({ force: true })
  await page.getByRole('checkbox', { name: /localhost/ }).focus()
  await page.keyboard.press('Space')
  await press(page, page.getByRole('button', { name: 'Connect site' }))
  await page.getByText('Agents can now do this there').waitFor()
  await page.goto(`${platform.url}/console/w/me/sites/connect`)
  await page.getByRole('link', { name: 'Inspect warehouse.yaml' }).waitFor()
  await look(t, page, 'documents')
  await press(page, page.getByRole('button', { name: 'Delete warehouse.yaml' }))
  await page.getByText('Sites that were connected with the document keep their tools.').waitFor()
  await look(t, page, 'document-delete')
  await press(page, page.getByRole('button', { name: 'Delete', exact: true }))
  await page.getByText('“warehouse.yaml” is deleted.').waitFor()
  t.deepEqual((await call(someone, documents.listDocuments, {})).body.items, [])
})
