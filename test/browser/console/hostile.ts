import test from 'ava'
import type { Page } from 'playwright-core'
import { Agent } from '../../../src/agents/agent.ts'
import { VaultEntry } from '../../../src/vault/vault-entry.ts'
import {
  agentOf,
  connectBadTools,
  connectTracker,
  customer,
  deliver,
  ended,
  webhookAgent,
} from '../../helpers/people.ts'
import { asked } from '../../helpers/approvals.ts'
import { start } from '../../helpers/runs.ts'
import { userIdOf, workspaceOf } from '../../helpers/workspaces.ts'
import { press } from './keyboard.ts'
import { look } from './look.ts'
import { consoleStage } from './stage.ts'

const open = consoleStage(test, 'hostile content in the console')

const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>'
const obeyed = '\u202Egnp.exe\u2066\u001B[31m'
const hostile = `${markup}${obeyed}${'W'.repeat(60)}`

/** What JSON escapes in the script of an agent, so that its tool returns it. */
const escaped = JSON.stringify({ title: hostile, content: `${hostile}\n${hostile}` }).replaceAll(
  /[\u0080-\uFFFF]/g,
  (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
)

/** Nearly a mebibyte, which is the most that a webhook accepts: one long line, and many short ones. */
const large = { line: 'A'.repeat(700_000), lines: Array.from({ length: 30_000 }, (_, index) => index) }

/**
 * The console shows strangers' names and bodies as text. Names are written past the API, which refuses these, because
 * a page must not rely on it.
 */
async function attacked() {
  const stage = await open()
  const { platform, sites } = stage
  const { database } = platform.services
  const someone = await customer(platform)
  const [vaultEntryId, deadEntry] = [await connectTracker(someone, sites), await connectBadTools(someone, sites)]
  const tools = ['issues.createIssue']
  const systemPrompt = `[[call issues.createIssue ${escaped}]] [[then]] [[say ${markup}]]`
  const agent = await webhookAgent(someone, { systemPrompt, sites: [{ vaultEntryId, tools }] })
  const payload = { markup: hostile, [hostile]: [hostile], ...large }
  const { runId } = (await deliver(platform, agent, payload)).body
  const other = (await deliver(platform, agent, { ...payload, more: 1 })).body.runId
  for (const id of [runId, other]) await ended(someone, id, 60)
  const asking = await agentOf(someone, { systemPrompt, sites: [{ vaultEntryId, tools, askFirst: tools }] })
  await start(someone, asking)
  await asked(someone)
  for (const { id } of [agent, asking]) await Agent.query(database).findById(id).patch({ name: hostile })
  const dead = { name: hostile, status: 'needs_reauth' as const, statusReason: hostile }
  await VaultEntry.query(database).findById(deadEntry).patch(dead)
  const waits = await agentOf(someone, {
    systemPrompt: '[[call slow_read {"seconds":1}]]',
    sites: [{ vaultEntryId: deadEntry, tools: ['slow_read'] }],
  })
  await start(someone, waits)
  return { ...stage, someone, runId, other, agent, waits }
}

/** The page shows the text, and no sign that turns or colours what is around it. */
async function isOnlyText(page: Page): Promise<boolean> {
  await page.getByText('onerror').filter({ visible: true }).first().waitFor()
  // oxlint-disable-next-line no-control-regex -- it is what must be missing
  return !/[\u202A-\u202E\u2066-\u2069\u001B]/.test(await page.innerText('body'))
}

test.serial('hostile names, payloads and results are text on every page that shows them', async (t) => {
  const { platform, visitAs, someone, runId, other } = await attacked()
  const page = await visitAs(t, someone, `/console/w/me/runs/${runId}`)
  await press(page, page.getByRole('button', { name: 'Open all' }))
  await page.getByText('\\u202e').first().waitFor()
  t.true(await isOnlyText(page))
  await look(t, page, 'hostile-run')
  for (const [title, path] of [
    ['hostile-runs', '/console/w/me/runs'],
    ['hostile-compare', `/console/w/me/runs/${runId}/beside/${other}`],
    ['hostile-approvals', '/console/w/me/approvals'],
    ['hostile-home', '/console/w/me'],
  ] as const) {
    await page.goto(platform.url + path)
    t.true(await isOnlyText(page), title)
    await look(t, page, title)
  }
  await press(page, page.getByRole('button', { name: 'Reconnect' }).first())
  await page.getByRole('dialog').getByLabel('Token').waitFor()
  t.true(await isOnlyText(page))
  await look(t, page, 'hostile-reconnect')
})

test.serial('a hostile name of an agent or a site is text on every page of the agent', async (t) => {
  const { platform, visitAs, someone, agent, waits } = await attacked()
  const page = await visitAs(t, someone, '/console/w/me/agents')
  t.true(await isOnlyText(page))
  await look(t, page, 'hostile-agents')
  for (const tab of ['', '/queue', '/settings', '/connect', '/test', '/versions', '/versions/1']) {
    await page.goto(`${platform.url}/console/w/me/agents/${agent.id}${tab}`)
    t.true(await isOnlyText(page), tab)
    await page.waitForLoadState('networkidle')
    await look(t, page, `hostile-agent${tab.replaceAll('/', '-')}`)
  }
  await page.goto(`${platform.url}/console/w/me/agents/${agent.id}/settings`)
  await press(page, page.getByRole('button', { name: 'Delete agent' }))
  await page.getByRole('dialog').waitFor()
  t.true(await isOnlyText(page))
  await look(t, page, 'hostile-agent-delete')
  await page.goto(`${platform.url}/console/w/me/agents/${waits.id}`)
  t.true(await isOnlyText(page))
  await look(t, page, 'hostile-agent-site')
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
    `/w/me/agents/${agent.id}/queue`,
    `/w/me/agents/${agent.id}/versions/1`,
    `/agents/${agent.id}`,
    `/approvals/${runId}`,
  ]) {
    await page.goto(`${platform.url}/console${path}`)
    await page.getByRole('heading', { name: /ha(s|ve) no |You are in no such workspace|Two runs/ }).waitFor()
    await page.waitForLoadState('networkidle')
    t.notRegex(await page.innerText('body'), /Secret|of the victim/, path)
  }
  await look(t, page, 'nothing-here')
})
