import test from 'ava'
import type { Page } from 'playwright-core'
import * as agents from '../../../api/agents.ts'
import * as vault from '../../../api/vault.ts'
import { VaultEntry } from '../../../src/vault/vault-entry.ts'
import { call } from '../../helpers/client.ts'
import {
  agentOf,
  connectBadTools,
  connectTracker,
  customer,
  deliver,
  ended,
  runOf,
  webhookAgent,
} from '../../helpers/people.ts'
import { eventually } from '../../helpers/eventually.ts'
import { runsOf, start } from '../../helpers/runs.ts'
import { announces } from './announced.ts'
import { hasFocus, press, reach, type } from './keyboard.ts'
import { look } from './look.ts'
import { consoleStage } from './stage.ts'
import { watched } from './watched.ts'

const open = consoleStage(test, 'runs in the console')

const grid = (page: Page) => page.getByRole('grid', { name: 'Runs' })
const rows = (page: Page) =>
  grid(page)
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell') })
const timeline = (page: Page) => page.getByRole('region', { name: 'Timeline' })

test.serial(
  'a delivery by an HTTP client is followed step by step in the list and in its run, both open',
  async (t) => {
    const { platform, sites, visitAs } = await open()
    const someone = await customer(platform)
    const vaultEntryId = await connectBadTools(someone, sites)
    const agent = await webhookAgent(someone, {
      name: 'Watcher',
      systemPrompt: '[[call slow_read {"seconds":8}]] [[then]] [[call slow_read {"seconds":8}]] [[then]] [[say All seen.]]',
      sites: [{ vaultEntryId, tools: ['slow_read'] }],
    })
    const list = await visitAs(t, someone, '/console/w/me/runs')
    await list.getByRole('heading', { name: 'No runs yet' }).waitFor()
    await look(t, list, 'runs-empty')
    await list.evaluate('globalThis.isStillHere = true')
    const { runId } = (await deliver(platform, agent, { issue: 7 })).body
    const page = watched(t, await list.context().newPage())
    await page.goto(`${platform.url}/console/w/me/runs/${runId}`)
    await page.evaluate('globalThis.isStillHere = true')
    await hasFocus(page, page.getByRole('heading', { name: 'Watcher #1' }))
    const calls = timeline(page).getByRole('button').filter({ hasText: 'slow_read' })
    await calls.first().waitFor()
    t.is(await calls.count(), 1)
    await rows(list).filter({ hasText: 'running' }).waitFor()
    await page.getByText('running', { exact: true }).first().waitFor()
    await calls.nth(1).waitFor()
    await page.getByText('completed', { exact: true }).first().waitFor()
    await page.getByText('All seen.').first().waitFor()
    await rows(list).filter({ hasText: 'completed' }).waitFor()
    for (const each of [list, page]) t.true(await each.evaluate('isStillHere'), 'nothing was loaded again')
    await look(t, list, 'runs-one')
    await press(list, rows(list).first())
    await hasFocus(list, list.getByRole('heading', { name: 'Watcher #1' }))
    await reach(list, timeline(list).getByRole('button', { expanded: false }).first())
    await list.keyboard.press('j')
    await hasFocus(list, timeline(list).locator('[data-row="1"]'))
    await list.keyboard.press('k')
    await list.keyboard.press('e')
    await list.getByText('"issue": 7').first().waitFor()
    await look(t, list, 'run-open')
  },
)

test.serial('a run is replayed with an edited payload, and both are shown side by side', async (t) => {
  const { platform, visitAs } = await open()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { name: 'Sorter', systemPrompt: '[[say done]]' })
  const { runId } = (await deliver(platform, agent, { issue: 7, title: 'It hangs' })).body
  await ended(someone, runId)
  const page = await visitAs(t, someone, `/console/w/me/runs/${runId}`)
  await press(page, page.getByRole('button', { name: 'Replay', exact: true }))
  const payload = page.getByLabel('Payload')
  await payload.waitFor()
  await look(t, page, 'replay')
  await type(page, payload, '{ "issue": 8, ')
  await page.getByRole('button', { name: 'Replay with the edited input' }).waitFor()
  t.true(await page.getByRole('button', { name: 'Replay with the edited input' }).isDisabled(), 'it is no JSON yet')
  await look(t, page, 'replay-unreadable')
  await type(page, payload, '{ "issue": 8, "title": "It hangs" }')
  await press(page, page.getByRole('button', { name: 'Replay with the edited input' }))
  await hasFocus(page, page.getByRole('heading', { name: 'Two runs' }))
  await page.getByText('"issue": 8').waitFor()
  await page.getByText('"issue": 7').waitFor()
  await page.getByText('completed', { exact: true }).nth(1).waitFor()
  await look(t, page, 'compare')
})

test.serial('failures are grouped by their cause, and chosen runs are cancelled together', async (t) => {
  const { platform, visitAs } = await open()
  const someone = await customer(platform)
  const failing = await agentOf(someone, { name: 'Broken', systemPrompt: '[[fail 400]]' })
  for (let time = 0; time < 2; time += 1) await ended(someone, (await start(someone, failing)).body.id)
  const queue = await webhookAgent(someone, { name: 'Queue' })
  await call(someone, agents.pauseAgent, { params: { agentId: queue.id } })
  for (let time = 0; time < 3; time += 1) await deliver(platform, queue, { time })
  const page = await visitAs(t, someone, '/console/w/me/runs')
  await rows(page).nth(4).waitFor()
  await look(t, page, 'runs')
  await press(
    page,
    page.getByRole('switch', { name: 'Group failures' }).or(page.getByRole('button', { name: 'Group failures' })),
  )
  await page.getByText('MODEL_ERROR').first().waitFor()
  await look(t, page, 'failures')
  await page.goto(`${platform.url}/console/w/me/runs?status=queued`)
  await rows(page).nth(2).waitFor()
  await reach(page, rows(page).first())
  for (const key of ['x', 'j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await page.getByText('3 selected').waitFor()
  await look(t, page, 'runs-selected')
  await press(page, page.getByRole('button', { name: 'Cancel runs' }))
  await look(t, page, 'cancel-runs')
  await press(
    page,
    page
      .getByRole('dialog')
      .getByRole('button', { name: /^Cancel/ })
      .last(),
  )
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().waitFor()
  await look(t, page, 'cancelled-runs')
  await hasFocus(page, page.getByRole('dialog').getByRole('button', { name: 'Close' }))
  await announces(page, /3 runs cancelled/)
  await page.keyboard.press('Enter')
  await grid(page).getByText('cancelled', { exact: true }).nth(2).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'No runs match the filters' }).waitFor()
})

test.serial('all queued runs are skipped at once, and failed deliveries are replayed from their cause', async (t) => {
  const { platform, visitAs } = await open()
  const someone = await customer(platform)
  const queue = await webhookAgent(someone, { name: 'Queue' })
  await call(someone, agents.pauseAgent, { params: { agentId: queue.id } })
  for (let time = 0; time < 2; time += 1) await deliver(platform, queue, { time })
  const page = await visitAs(t, someone, '/console/w/me/runs?status=queued')
  await rows(page).nth(1).waitFor()
  await press(page, page.getByRole('button', { name: 'Select all' }))
  await press(page, page.getByRole('button', { name: 'Skip runs' }))
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Skip runs that match' }))
  await announces(page, /2 runs skipped/)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  const broken = await webhookAgent(someone, { name: 'Broken', systemPrompt: '[[fail 400]]' })
  const { runId } = (await deliver(platform, broken, { issue: 7 })).body
  t.is((await ended(someone, runId)).status, 'failed')
  const repaired = { systemPrompt: '[[say repaired]]' }
  await call(someone, agents.updateAgent, { params: { agentId: broken.id }, body: repaired })
  await page.goto(`${platform.url}/console/w/me/runs?grouped=true`)
  await press(page, page.getByRole('button', { name: 'Replay failed deliveries of Broken' }))
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }))
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).waitFor()
  await look(t, page, 'replayed-failures')
  const replay = await eventually(20, 'a replay is accepted', async () =>
    (await runsOf(someone, broken)).find(({ id }) => id !== runId),
  )
  t.is((await ended(someone, replay.id)).status, 'completed')
})

test.serial('a paused agent says so on its run, and resumes from there', async (t) => {
  const { platform, visitAs } = await open()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { name: 'Asleep', systemPrompt: '[[say done]]' })
  await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })
  const { runId } = (await deliver(platform, agent, {})).body
  const page = await visitAs(t, someone, `/console/w/me/runs/${runId}`)
  const resume = page.getByRole('button', { name: 'Resume the agent' })
  await resume.waitFor()
  await look(t, page, 'run-paused')
  await press(page, resume)
  await announces(page, /The agent is resumed/)
  await page.getByText('completed', { exact: true }).first().waitFor()
  t.is((await runOf(someone, runId)).status, 'completed')
})

test.serial(
  'a dead credential is shown at home and repaired there, and the run that waited for it continues',
  async (t) => {
    const { platform, sites, visitAs } = await open()
    const someone = await customer(platform)
    const vaultEntryId = await connectTracker(someone, sites)
    const agent = await agentOf(someone, {
      name: 'Reader',
      systemPrompt: '[[call search_issues {}]] [[say read]]',
      sites: [{ vaultEntryId, tools: ['search_issues'] }],
    })
    const dead = { status: 'needs_reauth' as const, statusReason: 'The site revoked the token.' }
    await VaultEntry.query(platform.services.database).findById(vaultEntryId).patch(dead)
    const { id } = (await start(someone, agent)).body
    await eventually(20, 'the run waits', async () => (await runOf(someone, id)).status === 'waiting' || undefined)
    const page = await visitAs(t, someone, '/console/w/me')
    const reconnect = page.getByRole('button', { name: 'Reconnect' })
    await reconnect.first().waitFor()
    await look(t, page, 'home-credential')
    await press(page, reconnect.first())
    const token = page.getByRole('dialog').getByLabel('Token')
    await type(page, token, 'a wrong token')
    await look(t, page, 'reconnect')
    await type(page, token, sites.tracker.createToken('ada', 'admin'))
    await page.keyboard.press('Enter')
    await announces(page, /is connected again/)
    t.is((await ended(someone, id)).status, 'completed')
    t.is((await call(someone, vault.getVaultEntry, { params: { entryId: vaultEntryId } })).body.status, 'connected')
  },
)
