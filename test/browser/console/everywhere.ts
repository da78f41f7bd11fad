import test, { type ExecutionContext } from 'ava'
import type { Locator, Page } from 'playwright-core'
import * as agents from '../../../api/agents.ts'
import { setAdmin } from '../../../src/users/admins.ts'
import { adminOf } from '../../helpers/admins.ts'
import { call } from '../../helpers/client.ts'
import { agentOf, connectTracker, customer, deliver, ended, person, webhookAgent } from '../../helpers/people.ts'
import { eventually } from '../../helpers/eventually.ts'
import { start } from '../../helpers/runs.ts'
import { workspaceOf } from '../../helpers/workspaces.ts'
import { announces } from './announced.ts'
import { hasFocus, press } from './keyboard.ts'
import { look } from './look.ts'
import { consoleStage } from './stage.ts'

const open = consoleStage(test, 'everywhere in the console', { TEMPORAL_UI_URL: 'https://temporal.example/' })

const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' })
const option = (page: Page, name: string | RegExp) => palette(page).getByRole('menuitem', { name })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

/** Waits until the list is scrolled to this. */
const hasView = (t: ExecutionContext, element: Locator) =>
  eventually(5, 'it is in view', async () => {
    const box = await element.boundingBox()
    const list = await element.page().getByRole('menu', { name: 'Results' }).locator('xpath=..').boundingBox()
    if (!box || !list || box.y < list.y || box.y + box.height > list.y + list.height + 1) return undefined
    t.pass()
    return true
  })

/** Opens the palette by its keys and types into it. */
async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await hasFocus(page, palette(page).getByRole('searchbox'))
  await page.keyboard.insertText(text)
}

test.serial('the palette opens pages, agents, sites, runs and workspaces by keyboard alone', async (t) => {
  const { platform, sites, visitAs } = await open()
  const someone = await customer(platform, 'team')
  const workspace = await workspaceOf(someone, 'Acme')
  await connectTracker(someone, sites)
  const agent = await agentOf(someone, { name: 'Mail sorter' })
  const { id } = (await start(someone, agent)).body
  await ended(someone, id)
  const page = await visitAs(t, someone, '/console/w/me')
  await hasFocus(page, heading(page, 'Home'))
  await page.keyboard.press('Control+k')
  await option(page, 'Mail sorter #1').waitFor()
  await look(t, page, 'palette')
  await page.keyboard.press('ArrowUp')
  await hasView(t, option(page, /^Switch to Acme/))
  await page.keyboard.press('Escape')
  await palette(page).waitFor({ state: 'detached' })

  await search(page, 'approv')
  await announces(page, /^1 result$/)
  await page.keyboard.press('Enter')
  await hasFocus(page, heading(page, 'Approvals'))

  await search(page, 'sorter')
  await option(page, /^Mail sorter$/).waitFor()
  await look(t, page, 'palette-typed')
  await page.keyboard.press('Enter')
  await hasFocus(page, heading(page, 'Mail sorter'))

  await search(page, 'sorter #1')
  await option(page, /^Mail sorter #1/).waitFor()
  await page.keyboard.press('Enter')
  await hasFocus(page, heading(page, 'Mail sorter #1'))

  await search(page, new URL(sites.tracker.origin).host)
  await option(page, /Tracker/i).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/console\/w\/me\/sites\/[\w-]{36}$/)

  await search(page, 'create')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/agents\/create$/)

  await search(page, 'acme')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/console/w/${workspace.id}`)
  await search(page, `${platform.url}/runs/${id}`)
  await option(page, `Open the run ${id}`).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await hasFocus(page, heading(page, 'Mail sorter #1'))
  t.is(new URL(page.url()).pathname, `/console/w/me/runs/${id}`, 'the run is shown where it belongs')

  await search(page, 'sign out')
  await page.keyboard.press('Enter')
  await page.getByLabel('Email').waitFor()
})

test.serial('the palette finds nothing of other accounts, and its button opens it on a phone', async (t) => {
  const { platform, visitAs } = await open()
  const other = await person(platform)
  const agent = await agentOf(other, { name: 'Secret agent' })
  const someone = await person(platform)
  const page = await visitAs(t, someone, '/console/w/me')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Search' }).click()
  await hasFocus(page, palette(page).getByRole('searchbox'))
  await page.keyboard.insertText(agent.id)
  await palette(page).getByText('Nothing has this name').waitFor()
  await announces(page, /Nothing found/)
  await look(t, page, 'palette-nothing')
})

test.serial('typing in the palette sends no requests', async (t) => {
  const { platform, visitAs } = await open()
  const someone = await person(platform)
  await agentOf(someone, { name: 'Mail sorter' })
  const page = await visitAs(t, someone, '/console/w/me/runs')
  await hasFocus(page, heading(page, 'Runs'))
  await page.keyboard.press('Control+k')
  await option(page, 'Mail sorter').waitFor()
  await page.waitForLoadState('networkidle')
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.keyboard.type('sorter of mails')
  await palette(page).getByText('Nothing has this name').waitFor()
  t.deepEqual(
    asked.filter((path) => /^\/(agents|vault)/.test(path)),
    [],
  )
})

test.serial('a page that is not there names the workspace in which it was looked for', async (t) => {
  const { platform, visitAs } = await open()
  const someone = await customer(platform, 'team')
  const workspace = await workspaceOf(someone, 'Acme')
  const other = await person(platform)
  const agent = await agentOf(other, { name: 'Secret agent' })
  const { id } = (await start(other, agent)).body
  const page = await visitAs(t, someone, `/console/w/${workspace.id}/runs/${id}`)
  await hasFocus(page, heading(page, 'Acme has no run with this id'))
  t.is(await page.title(), 'Acme has no run with this id · Switchyard')
  t.false((await page.innerText('body')).includes('Secret agent'))
  await look(t, page, 'no-run')
  await press(page, page.getByRole('main').getByRole('link', { name: 'See all runs' }))
  await hasFocus(page, heading(page, 'Runs'))
  const own = someone.email
  for (const [path, title] of [
    [`/w/me/agents/${agent.id}`, `${own} has no agent with this id`],
    [`/w/me/agents/${agent.id}/queue`, `${own} has no agent with this id`],
    [`/w/me/sites/${id}`, `${own} has no site with this id`],
    [`/w/${workspace.id}/nonsense`, 'Acme has no page at this address'],
    [`/w/${id}`, 'You are in no such workspace'],
    [`/runs/${id}`, 'You have no run with this id'],
    ['/nonsense', 'The console has no page at this address'],
  ] as const) {
    await page.goto(`${platform.url}/console${path}`)
    await hasFocus(page, heading(page, title))
    t.is(await page.getByRole('main').count(), 1, `${path} has one main part`)
  }
  await look(t, page, 'no-page')
})

test.serial('an admin finds the workflows of a run and of an agent in Temporal, and others do not', async (t) => {
  const { platform, visitAs } = await open()
  const admin = await adminOf(platform)
  const agent = await agentOf(admin, {
    name: 'Reporter',
    trigger: 'scheduled',
    cron: '0 9 * * *',
    timeZone: 'UTC',
  })
  const { id } = (await start(admin, agent)).body
  const page = await visitAs(t, admin, `/console/w/me/runs/${id}`)
  const link = (name: string) => page.getByRole('link', { name }).getAttribute('href')
  const at = 'https://temporal.example/namespaces/default'
  t.is(await link('Workflow in Temporal'), `${at}/workflows/run%2F${id}`)
  await look(t, page, 'run-of-admin')
  await page.goto(`${platform.url}/console/w/me/agents/${agent.id}`)
  t.is(await link('Queue in Temporal'), `${at}/workflows/agent%2F${agent.id}`)
  t.is(await link('Schedule in Temporal'), `${at}/schedules/cron%2F${agent.id}`)
  await look(t, page, 'agent-of-admin')
  t.true(await setAdmin(platform.services.database, admin.email, false))
  await page.reload()
  await heading(page, 'Reporter').waitFor()
  await page.waitForLoadState('networkidle')
  t.is(await page.getByRole('link', { name: /in Temporal/ }).count(), 0)
})

test.serial('a lost connection is announced while a dialog is open, and it is in view', async (t) => {
  const { platform, visitAs } = await open()
  const someone = await person(platform)
  await agentOf(someone, { name: 'Mail sorter' })
  const page = await visitAs(t, someone, '/console/w/me/runs')
  await hasFocus(page, heading(page, 'Runs'))
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.context().setOffline(true)
  await announces(page, /Switchyard cannot be reached/)
  const notice = page.getByText('Switchyard cannot be reached')
  t.true(await isOnTop(page, notice), 'the dialog does not cover it')
  await look(t, page, 'offline-in-dialog')
  await page.context().setOffline(false)
  await notice.waitFor({ state: 'detached' })
})

/** Whether a person sees the element where its middle is. */
async function isOnTop(page: Page, element: Locator): Promise<boolean> {
  const { x, y, width, height } = (await element.boundingBox())!
  const seen = await page.evaluate<string>(
    `document.elementFromPoint(${x + width / 2}, ${y + height / 2})?.textContent ?? ''`,
  )
  return seen === (await element.textContent())
}

test.serial('a run that arrives does not move what somebody reads further down, until they ask for it', async (t) => {
  const { platform, visitAs } = await open()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { name: 'Mail sorter' })
  await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })
  for (let time = 0; time < 40; time += 1) await deliver(platform, agent, { time })
  const page = await visitAs(t, someone, '/console/w/me/runs')
  const row = page.getByRole('row', { name: /Mail sorter #20\b/ })
  await page.getByRole('row', { name: /Mail sorter #40\b/ }).hover()
  await page.mouse.wheel(0, 600)
  await row.waitFor()
  const top = async () => (await row.boundingBox())?.y
  const before = await eventually(10, 'the page stands still', async () => {
    const one = await top()
    return one === (await top()) ? one : undefined
  })
  await deliver(platform, agent, { time: 41 })
  const arrived = page.getByRole('button', { name: '1 new run' })
  await arrived.waitFor()
  t.is(await top(), before)
  await press(page, arrived)
  await page.getByRole('row', { name: /Mail sorter #41\b/ }).waitFor()
  t.is(await page.evaluate<number>('scrollY'), 0)
})

test.serial('on a phone, all pages are at the thumb without scrolling sideways', async (t) => {
  const { platform, visitAs } = await open()
  const page = await visitAs(t, await person(platform), '/console/w/me')
  await page.setViewportSize({ width: 390, height: 844 })
  const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('listitem').getByRole('link')
  await links.nth(4).waitFor()
  for (const link of await links.all()) {
    const box = await link.boundingBox()
    t.true(box !== null && box.x >= 0 && box.x + box.width <= 390, 'it is inside the window')
    t.true(box !== null && box.y > 700 && box.height >= 44, 'it is at the thumb and large enough')
  }
})
