import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import * as logins from '../../../api/logins.ts'
import * as members from '../../../api/members.ts'
import { freePorts } from '../../../bin/local/ports.ts'
import { call } from '../../helpers/client.ts'
import { agentOf, connectBadTools, customer, deliver, ended, webhookAgent } from '../../helpers/people.ts'
import { startProcess } from '../../helpers/processes.ts'
import { testEnvironment, type Platform } from '../../helpers/platform.ts'
import type { Sites } from '../../helpers/sites.ts'
import { memberOf, userIdOf, workspaceOf } from '../../helpers/workspaces.ts'
import { announces } from './announced.ts'
import { hasFocus, press, type } from './keyboard.ts'
import { look } from './look.ts'
import { consoleStage } from './stage.ts'

const open = consoleStage(test, 'trouble in the console')

/** A page on which somebody is typing an edited payload. */
async function typing(t: ExecutionContext) {
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

/** Another API of the same platform, as a process that can end and start again. */
async function anotherApi(t: ExecutionContext, { config }: Platform, sites: Sites) {
  const [port = 0] = await freePorts(1)
  const url = `http://127.0.0.1:${port}`
  const own = { DATABASE_URL: config.database.url, PORT: String(port), BASE_URL: url }
  const env = { ...(await testEnvironment(t, { sites, env: own })), TASK_QUEUE: config.temporal.taskQueue }
  return { url, start: () => startProcess(t, 'api', env) }
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
  await hasFocus(page, page.getByRole('heading', { name: 'Two runs' }))
})

test.serial('an API that restarts is said, loses no typed text, and an open run is followed to its end', async (t) => {
  const { platform, sites, visitAs } = await open()
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)
  const agent = await webhookAgent(someone, {
    name: 'Sorter',
    systemPrompt: '[[call slow_read {"seconds":20}]]',
    sites: [{ vaultEntryId, tools: ['slow_read'] }],
  })
  const past = await webhookAgent(someone, { name: 'Past', systemPrompt: '[[say done]]' })
  const ran = (await deliver(platform, past, { issue: 7 })).body.runId
  await ended(someone, ran)
  const api = await anotherApi(t, platform, sites)
  const running = await api.start()
  const page = await visitAs(t, someone, `/console/w/me/runs/${ran}`, api.url)
  await press(page, page.getByRole('button', { name: 'Replay', exact: true }))
  await type(page, page.getByLabel('Payload'), '{ "issue": 8 }')
  const { runId } = (await deliver(platform, agent, { issue: 7 })).body
  const live = await page.context().newPage()
  await live.goto(`${api.url}/console/w/me/runs/${runId}`)
  await live.getByText('running', { exact: true }).first().waitFor()
  await running.stop()
  await announces(live, /Switchyard cannot be reached/)
  await send(page)
  await announces(page, /cannot be reached/)
  await api.start()
  for (const each of [page, live])
    await each.getByText('What you see may be old').waitFor({ state: 'detached', timeout: 60_000 })
  t.is(await isTyped(page), '{ "issue": 8 }')
  await send(page)
  await hasFocus(page, page.getByRole('heading', { name: 'Two runs' }))
  await live.getByText('completed', { exact: true }).first().waitFor()
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

test.serial(
  'somebody who is removed from a workspace sees no more of it, without loading the page again',
  async (t) => {
    const { platform, visitAs } = await open()
    const owner = await customer(platform, 'team')
    const { id: workspaceId } = await workspaceOf(owner, 'Support')
    await agentOf(owner, { workspaceId, name: 'Secret of the workspace' })
    const member = await memberOf(platform, workspaceId, 'viewer')
    const page = await visitAs(t, member, `/console/w/${workspaceId}/agents`)
    await page.getByText('Secret of the workspace').waitFor()
    const params = { workspaceId, userId: await userIdOf(member) }
    await call(owner, members.removeMember, { params })
    await page.getByRole('heading', { name: 'You are in no such workspace' }).waitFor()
    t.notRegex(await page.innerText('body'), /Secret|Support/)
  },
)
