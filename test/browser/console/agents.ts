import test from 'ava'
import type { Page } from 'playwright-core'
import { agentOf, connectTracker, customer, deliver, ended, webhookAgent } from '../../helpers/people.ts'
import { runsOf, start } from '../../helpers/runs.ts'
import { hasFocus, press, reach, type } from './keyboard.ts'
import { look } from './look.ts'
import { consoleStage } from './stage.ts'

const open = consoleStage(test, 'agents in the console')

const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the agent' }).getByRole('link', { name })

test.serial(
  'an agent is made by keyboard, its sender is told what to paste, and a test delivery starts a run',
  async (t) => {
    const { platform, sites, visitAs } = await open()
    const someone = await customer(platform)
    await connectTracker(someone, sites)
    const page = await visitAs(t, someone, '/console/w/me')
    await page.getByRole('heading', { name: 'There are no agents yet' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('e')
    await page.getByRole('heading', { name: 'No agents yet', exact: true }).waitFor()
    await look(t, page, 'agents-empty')
    await press(page, page.getByRole('link', { name: 'create an agent' }))
    await page.getByRole('heading', { name: 'Create an agent' }).waitFor()
    await look(t, page, 'agent-form-empty')
    await type(page, page.getByLabel('Name', { exact: true }), 'Triage')
    await type(page, page.getByLabel('Prompt', { exact: true }), '[[call search_issues {}]] [[then]] [[say Sorted.]]')
    await reach(page, page.getByRole('button', { name: 'Trigger' }))
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'Runs for each delivery' }).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /Runs for each delivery/ }).waitFor()
    await press(
      page,
      page.getByRole('group', { name: 'Fields of a delivery' }).getByRole('button', { name: 'Add field' }),
    )
    const fields = page.getByRole('group', { name: 'Fields of a delivery' })
    await type(page, fields.getByLabel('Name', { exact: true }), 'issue')
    await page.keyboard.press('Tab')
    await reach(page, page.getByRole('checkbox', { name: /Example issue tracker/ }))
    await page.keyboard.press('Space')
    await press(page, page.getByRole('button', { name: 'Choose the tools that only read' }))
    t.true(await page.getByRole('checkbox', { name: /search_issues/ }).isChecked())
    t.false(await page.getByRole('checkbox', { name: /delete_issue/ }).isChecked())
    await look(t, page, 'agent-form')
    await press(page, page.getByRole('button', { name: 'Create agent' }))
    await page.getByRole('heading', { name: 'Triage', exact: true }).waitFor()
    await look(t, page, 'agent')
    await press(page, tab(page, 'Connect'))
    await page.getByRole('heading', { name: /What to paste/ }).waitFor()
    await look(t, page, 'agent-connect')
    await press(page, tab(page, 'Test'))
    await type(page, page.getByLabel('Payload'), '{"other":1}')
    await press(page, page.getByRole('button', { name: 'Send test delivery' }))
    await page.getByText('refused', { exact: true }).waitFor()
    await look(t, page, 'agent-test-refused')
    await type(page, page.getByLabel('Payload'), '{"issue":"7"}')
    await press(page, page.getByRole('button', { name: 'Send test delivery' }))
    await page.getByText('accepted', { exact: true }).waitFor()
    await look(t, page, 'agent-test-accepted')
    await press(page, page.getByRole('link', { name: 'Open run' }))
    await page.getByRole('heading', { name: 'Triage #1' }).waitFor()
    await page.getByText('Sorted.').first().waitFor()
  },
)

test.serial('a paused agent keeps its queue in order, of which one run is skipped and one cancelled', async (t) => {
  const { platform, visitAs } = await open()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { name: 'Queue', systemPrompt: '[[say Done.]]' })
  const page = await visitAs(t, someone, `/console/w/me/agents/${agent.id}`)
  await press(page, page.getByRole('button', { name: 'Pause agent' }))
  await page.getByRole('button', { name: 'Resume agent' }).waitFor()
  for (const issue of [1, 2, 3, 4]) await deliver(platform, agent, { issue })
  await press(page, tab(page, 'Queue'))
  await page.getByText('4 runs').waitFor()
  await look(t, page, 'agent-queue')
  await press(page, page.getByRole('button', { name: 'Skip run 2' }))
  await press(page, page.getByRole('button', { name: 'Cancel run 3' }))
  await page.getByText('2 runs').waitFor()
  await press(
    page,
    page
      .getByRole('button', { name: 'Resume the agent' })
      .or(page.getByRole('button', { name: 'Resume agent' }))
      .first(),
  )
  await page.getByRole('heading', { name: 'The queue is empty' }).waitFor()
  await press(page, tab(page, 'Overview'))
  await look(t, page, 'agent-used')
  await page.goto(`${platform.url}/console/w/me/agents`)
  await page.getByText('Queue').first().waitFor()
  await look(t, page, 'agents')
})

test.serial('a bad prompt is found in the versions and rolled back, and runs name their version', async (t) => {
  const { platform, visitAs } = await open()
  const someone = await customer(platform)
  const agent = await agentOf(someone, { name: 'Prompted', systemPrompt: 'Greet.\n[[say Good morning.]]' })
  await ended(someone, (await start(someone, agent)).body.id)
  const page = await visitAs(t, someone, `/console/w/me/agents/${agent.id}`)
  await press(page, tab(page, 'Settings'))
  await type(page, page.getByLabel('Prompt', { exact: true }), 'Greet.\n[[say Go away.]]')
  await press(page, page.getByRole('button', { name: 'Save' }))
  await page.getByText('saved').first().waitFor()
  await look(t, page, 'agent-settings')
  await ended(someone, (await start(someone, agent)).body.id)
  await press(page, tab(page, 'Versions'))
  await page.getByText('Version 2').waitFor()
  await look(t, page, 'agent-versions')
  await press(page, page.getByRole('link', { name: /Version 2/ }))
  await page.locator('ins').filter({ hasText: 'Go away' }).waitFor()
  await look(t, page, 'agent-version')
  await press(page, page.getByRole('link', { name: 'All versions' }))
  await press(page, page.getByRole('link', { name: /Version 1/ }))
  await press(page, page.getByRole('button', { name: 'Restore version' }))
  await page.getByRole('dialog').waitFor()
  await look(t, page, 'agent-restore')
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Restore version' }))
  await page.getByText('Version 1 is restored.').waitFor()
  await press(page, page.getByRole('button', { name: 'Start run' }))
  await type(page, page.getByRole('dialog').getByLabel('Input'), '{"greet":"Ada"}')
  await look(t, page, 'agent-start')
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Start run' }))
  await page.getByRole('heading', { name: 'Prompted #3' }).waitFor()
  const again = await ended(someone, new URL(page.url()).pathname.split('/').at(-1) ?? '')
  t.regex(again.answer ?? '', /Good morning/)
  t.is(again.agentVersion, 3)
  await page.goto(`${platform.url}/console/w/me/agents/${agent.id}/settings`)
  await press(page, page.getByRole('button', { name: 'Delete agent' }))
  await page.getByRole('dialog').waitFor()
  await look(t, page, 'agent-delete')
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Delete agent' }))
  await page.getByText('“Prompted” is deleted.').waitFor()
  await page.getByRole('heading', { name: 'No agents yet' }).waitFor()
})

test.serial('a scheduled agent says when it runs next, and a daylight-saving change is warned of', async (t) => {
  const { platform, visitAs } = await open()
  const someone = await customer(platform)
  const agent = await agentOf(someone, {
    name: 'Nightly',
    trigger: 'scheduled',
    cron: '30 2 * * *',
    timeZone: 'Europe/Berlin',
  })
  const page = await visitAs(t, someone, `/console/w/me/agents/${agent.id}`)
  await press(page, tab(page, 'Schedule'))
  await page.getByRole('list', { name: 'Next scheduled times' }).waitFor()
  t.is(await page.getByRole('list', { name: 'Next scheduled times' }).getByRole('listitem').count(), 10)
  await look(t, page, 'agent-schedule')
  await hasFocus(page, tab(page, 'Schedule'))
})

test.serial(
  'a double click does an action once, and a typed payload is still there after a look elsewhere',
  async (t) => {
    const { platform, visitAs } = await open()
    const someone = await customer(platform)
    const agent = await webhookAgent(someone, { name: 'Clicked', systemPrompt: '[[say Done.]]' })
    const page = await visitAs(t, someone, `/console/w/me/agents/${agent.id}/test`)
    await type(page, page.getByLabel('Payload'), '{"issue":7}')
    await press(page, tab(page, 'Overview'))
    await page.getByRole('heading', { name: 'Latest runs' }).waitFor()
    await press(page, tab(page, 'Test delivery'))
    t.is(await page.getByLabel('Payload').inputValue(), '{"issue":7}')
    await page.getByRole('button', { name: 'Send test delivery' }).dblclick()
    await page.getByText('accepted', { exact: true }).waitFor()
    await page.waitForLoadState('networkidle')
    t.is((await runsOf(someone, agent)).length, 1)
  },
)
