import test from 'ava'
import type { Page } from 'playwright-core'
import * as vault from '../../../api/vault.ts'
import { buildConsole } from '../../../bin/local/console.ts'
import { VaultEntry } from '../../../src/vault/vault-entry.ts'
import { call } from '../../helpers/client.ts'
import { answering, manifestWith, startHostileSite } from '../../helpers/hostile-site.ts'
import { agentOf, customer } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { startSites } from '../../helpers/sites.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { openBrowser } from '../open-browser.ts'
import { press, type } from './keyboard.ts'
import { look } from './look.ts'
import { signIn } from './stage.ts'
import { watched } from './watched.ts'

/** The same site under another host name. */
const elsewhere = ({ host }: { host: string }) => host.replace('127.0.0.1', 'localhost')

const open = forWholeFile(test, 'hostile sites in the console', async (t) => {
  await buildConsole(() => {})
  const sites = await startSites(t)
  const hostile = await startHostileSite(t)
  const all = { ...sites, allow: [...sites.allow, hostile.host, elsewhere(hostile)] }
  return { hostile, platform: await startPlatform(t, { sites: all }), openPage: await openBrowser(t) }
})

const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>'
const text = `${markup}\u202Egnp.exe\u2066\u001B[31m\u001B]8;;https://evil.example\u0007${'W'.repeat(400)}`

/** A tool whose every text attacks whoever reads it. */
const attack = (description: string) => ({
  name: `act.${'w'.repeat(60)}`,
  description,
  effect: 'once',
  scope: 'delete',
  input_schema: {
    type: 'object',
    properties: { [markup]: { type: 'string', description: text }, kind: { type: 'string', enum: [text, 'b'] } },
    required: [],
  },
})

/** Just below the mebibyte that a result may have, with one long line and many short ones. */
const large = { text, line: 'A'.repeat(700_000), lines: Array.from({ length: 30_000 }, (_, index) => index) }

/** The page shows the text, and no sign that turns or colours what is around it. */
async function isOnlyText(page: Page): Promise<boolean> {
  await page.getByText('onerror').filter({ visible: true }).first().waitFor()
  // oxlint-disable-next-line no-control-regex -- it is what must be missing
  return !/[\u202A-\u202E\u2066-\u2069\u001B\u0007]/.test(await page.innerText('body'))
}

/** A dialog that scrolls sideways hides its buttons, and the page is no wider for it. */
async function keepsItsWidth(page: Page): Promise<boolean> {
  await page.setViewportSize({ width: 390, height: 844 })
  const wide = await page.evaluate<boolean>(
    `[...document.querySelectorAll('[role=dialog], [role=alertdialog]')].some((one) => one.scrollWidth > one.clientWidth)`,
  )
  await page.setViewportSize({ width: 1280, height: 800 })
  return !wide
}

test.serial('what a hostile site says is text on every page about it', async (t) => {
  const { hostile, platform, openPage } = await open()
  const manifest = manifestWith(`${hostile.origin}/api`, { description: text, version: markup, tools: [attack(text)] })
  hostile.manifest = answering({ ...manifest, name: markup })
  hostile.tool = answering(large)
  const someone = await customer(platform)
  const page = watched(t, await openPage())
  await signIn(page, someone, `${platform.url}/console`)
  const at = (path: string) => page.goto(`${platform.url}/console/w/me/sites${path}`)
  const shows = async (name: string) => {
    t.true(await isOnlyText(page), name)
    await look(t, page, name)
  }

  await at(`/connect?url=${encodeURIComponent(hostile.origin)}`)
  await page.getByRole('heading', { name: 'Connect it' }).waitFor()
  await press(page, page.locator('details').first().locator('summary'))
  await shows('hostile-inspection')
  await type(page, page.getByLabel('Token'), 'a-token')
  await page.keyboard.press('Enter')
  await page.getByText('Agents can now do this there').waitFor()
  await shows('hostile-connected')

  const [entry] = (await call(someone, vault.listVault)).body.items
  const { id: entryId = '' } = entry ?? {}
  await agentOf(someone, { name: markup, sites: [{ vaultEntryId: entryId }] })
  await at(`/${entryId}/tools/${encodeURIComponent(attack('').name)}`)
  await page.getByRole('button', { name: /^Call act/ }).waitFor()
  await shows('hostile-tool')
  await press(page, page.getByRole('button', { name: /^Call act/ }))
  await page.getByRole('dialog').waitFor()
  t.true(await keepsItsWidth(page))
  await look(t, page, 'hostile-asked')
  await press(page, page.getByRole('button', { name: 'Call it' }))
  await page.getByText('The first part of').waitFor()
  await shows('hostile-result')
  await press(page, page.getByRole('link', { name: 'Record of the call' }))
  await page.getByRole('heading', { name: 'Result' }).waitFor()
  await shows('hostile-call')

  hostile.manifest = answering({
    ...manifest,
    name: `${markup}2`,
    tools: [attack(`${text} ${'line\n'.repeat(500)}`), { ...attack(text), name: 'added' }],
    server: { url: `https://${elsewhere(hostile)}/api` },
  })
  await at(`/${entryId}/changes`)
  await press(page, page.getByRole('button', { name: 'Check now' }))
  await page.getByRole('heading', { name: 'A change waits for you' }).waitFor()
  await shows('hostile-changes')

  const name = `${markup}\u202E\u001B[31m${'W'.repeat(140)}`
  const dead = { name, status: 'needs_reauth' as const, statusReason: text }
  await VaultEntry.query(platform.services.database).findById(entryId).patch(dead)
  await at('')
  await shows('hostile-sites')
  await at(`/${entryId}`)
  await page.getByRole('heading', { name: 'Agents that use it' }).waitFor()
  await shows('hostile-site')
  await press(page, page.getByRole('button', { name: 'Disconnect' }))
  await page.getByRole('dialog').getByText('can no longer call').waitFor()
  t.true(await keepsItsWidth(page))
  await shows('hostile-disconnect')
})
