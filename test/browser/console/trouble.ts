import test from 'ava'
import type { Page } from 'playwright-core'
import * as logins from '../../../api/logins.ts'
import { call } from '../../helpers/client.ts'
import { agentOf, connectTracker, customer, deliver, ended, webhookAgent } from '../../helpers/people.ts'
import { start } from '../../helpers/runs.ts'
import { userIdOf, workspaceOf } from '../../helpers/workspaces.ts'
import { press, type } from './keyboard.ts'
import { look } from './look.ts'
import { consoleStage } from './stage.ts'

const open = consoleStage(test, 'trouble in the console')

/** A page on which somebody is typing an edited payload. */
async function typing(t: Parameters<Awaited<ReturnType<typeof open>>['visitAs']>[0]) {
  const stage = await open()
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone, { name: 'Sorter', systemPrompt: '[[say done]]' })
  const { runId } = (await deliver(stage.platform, agent, { issue: 7 })).body
  await ended(someone, runId)
  const page = await stage.visitAs(t, someone, `/console/w/me/runs/${runId}`)
  await press(page, page.getByRole('button', { name: 'Replay', exact: true }))
  await type(page, page.getByLabel('Payload'), '{ "issue": 8 }')
  return { ...stage, someone, page }
}

const send = (page: Page) => press(page, page.getByRole('button', { name: 'Replay with the edited input' }))
const isTyped = (page: Page) => page.getByLabel('Payload').inputValue()

test.serial('a cut network is said, loses no typed text, and the work continues when it is back', async (t) => {
  const { page } = await typing(t)
  await page.context().setOffline(true)
  await send(page)
  await page.getByText('Switchyard cannot be reached.').first().waitFor()
  await look(t, page, 'offline')
  t.is(await isTyped(page), '{ "issue": 8 }')
  await page.context().setOffline(false)
  await page.getByText('What you see may be old').waitFor({ state: 'detached' })
  await send(page)
  await page.getByRole('heading', { name: 'Two runs' }).waitFor()
})

test.serial('a login that ends while somebody types is opened again over the page, and nothing is lost', async (t) => {
  const { page, someone } = await typing(t)
  for (const { id } of (await call(someone, logins.listLogins)).body.items)
    await call(someone, logins.endLogin, { params: { loginId: id } })
  await send(page)
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  await look(t, page, 'sign-in-again')
  await type(page, dialog.getByLabel('Password', { exact: true }), someone.password)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  t.is(await isTyped(page), '{ "issue": 8 }')
  await send(page)
  await page.getByRole('heading', { name: 'Two runs' }).waitFor()
})

test.serial('an expired access token is renewed without a word', async (t) => {
  const { page, platform } = await typing(t)
  const cookies = await page.context().cookies()
  const access = cookies.find(({ name }) => name.endsWith('switchyard_access'))
  if (access) await page.context().addCookies([{ ...access, value: `${access.value.slice(0, -4)}AAAA` }])
  await send(page)
  await page.getByRole('heading', { name: 'Two runs' }).waitFor()
  t.true(page.url().startsWith(platform.url))
})

test.serial('two tabs sign out together', async (t) => {
  const { page, platform } = await typing(t)
  const other = await page.context().newPage()
  await other.goto(`${platform.url}/console/w/me/runs`)
  await press(other, other.getByRole('button', { name: /^Account/ }))
  await other
    .getByRole('menuitemradio', { name: 'Sign out' })
    .or(other.getByRole('menuitem', { name: 'Sign out' }))
    .focus()
  await other.keyboard.press('Enter')
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page
    .getByRole('dialog', { name: 'Sign in again' })
    .or(page.getByRole('heading', { name: 'Sign in' }))
    .waitFor()
  t.is(await page.getByText('"issue": 7').count(), 0, 'what was read is gone')
})

const hostile = `<img src=x onerror=alert(1)><script>alert(2)</script>\u202Egnp.exe\u001B[31m${'W'.repeat(60)}`

test.serial('hostile names, payloads and results are text on every page that shows them', async (t) => {
  const { platform, sites, visitAs } = await open()
  const someone = await customer(platform)
  const vaultEntryId = await connectTracker(someone, sites)
  const name = hostile.slice(0, 100).replace('\u202E', '').replace('\u001B', '')
  const agent = await webhookAgent(someone, {
    name,
    systemPrompt: `[[call issues.createIssue {"title":"<script>alert(3)</script>","content":"x"}]] [[say ${name}]]`,
    sites: [{ vaultEntryId, tools: ['issues.createIssue'] }],
  })
  const payload = { markup: hostile, long: 'A'.repeat(500_000), [hostile]: [hostile] }
  const { runId } = (await deliver(platform, agent, payload)).body
  await ended(someone, runId)
  const second = (await deliver(platform, agent, { ...payload, more: 1 })).body.runId
  await ended(someone, second)
  const asking = await agentOf(someone, {
    name: `${name} 2`.slice(-100),
    systemPrompt: '[[call issues.createIssue {"title":"<img src=x onerror=alert(4)>","content":"x"}]] [[say x]]',
    sites: [{ vaultEntryId, tools: ['issues.createIssue'], askFirst: ['issues.createIssue'] }],
  })
  await start(someone, asking)
  const page = await visitAs(t, someone, `/console/w/me/runs/${runId}`)
  await page.getByRole('button', { name: 'Open all' }).click()
  await page.getByText('\\u202e').first().waitFor()
  await look(t, page, 'hostile-run')
  for (const [title, path] of [
    ['hostile-home', '/console/w/me'],
    ['hostile-runs', '/console/w/me/runs'],
    ['hostile-compare', `/console/w/me/runs/${runId}/beside/${second}`],
    ['hostile-approvals', '/console/w/me/approvals'],
  ] as const) {
    await page.goto(platform.url + path)
    await page.getByText('onerror').filter({ visible: true }).first().waitFor()
    await look(t, page, title)
  }
})

test.serial("another tenant's ids in addresses show nothing of theirs", async (t) => {
  const { platform, visitAs } = await open()
  const victim = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(victim, 'Secret workspace')
  const agent = await webhookAgent(victim, { name: 'Secret agent' })
  const { runId } = (await deliver(platform, agent, { secret: 'of the victim' })).body
  await ended(victim, runId)
  const thief = await customer(platform)
  const page = await visitAs(t, thief, '/console/w/me')
  for (const path of [
    `/w/me/runs/${runId}`,
    `/runs/${runId}`,
    `/w/${workspaceId}`,
    `/w/${workspaceId}/runs/${runId}`,
    `/w/${await userIdOf(victim)}/runs`,
    `/w/me/runs/${runId}/beside/${runId}`,
    `/approvals/${runId}`,
  ]) {
    await page.goto(`${platform.url}/console${path}`)
    await page.getByRole('heading', { name: /There is nothing here|Two runs/ }).waitFor()
    await page.waitForLoadState('networkidle')
    t.notRegex(await page.innerText('body'), /Secret|of the victim/, path)
  }
  await look(t, page, 'nothing-here')
})
