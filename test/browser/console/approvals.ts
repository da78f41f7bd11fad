import test from 'ava'
import { askingRun } from '../../helpers/forms.ts'
import { agentOf, connectTracker, customer, ended } from '../../helpers/people.ts'
import { start } from '../../helpers/runs.ts'
import { verify } from '../../helpers/workspaces.ts'
import { announces } from './announced.ts'
import { hasFocus, press, reach, type } from './keyboard.ts'
import { look } from './look.ts'
import { consoleStage, signIn } from './stage.ts'

const open = consoleStage(test, 'approvals in the console', { SITE_ALLOW: '127.0.0.0/8,::1/128' })

/** Somebody whose agent asks before it deletes issues. */
async function asking() {
  const stage = await open()
  const someone = await customer(stage.platform)
  await verify(stage.platform, someone)
  const vaultEntryId = await connectTracker(someone, stage.sites)
  const agent = await agentOf(someone, {
    name: 'Clean-up',
    systemPrompt: '[[call delete_closed_issues {"created_before":"2026-01-01"}]] [[say over]]',
    sites: [{ vaultEntryId, tools: ['delete_closed_issues'], askFirst: ['delete_closed_issues'] }],
  })
  return { ...stage, someone, agent }
}

test.serial('an approval is decided by keyboard in the inbox, and the run continues', async (t) => {
  const { visitAs, someone, agent } = await asking()
  const page = await visitAs(t, someone, '/console/w/me/approvals')
  await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
  await look(t, page, 'approvals-empty')
  const { id } = (await start(someone, agent)).body
  await page.getByRole('heading', { name: 'Call delete_closed_issues' }).waitFor()
  await page.getByText('2026-01-01').first().waitFor()
  await look(t, page, 'approvals')
  await page.keyboard.press('a')
  await page.getByRole('dialog', { name: 'Approve this call?' }).waitFor()
  await look(t, page, 'approve')
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Approve' }))
  await hasFocus(page, page.getByText('Nothing waits for you').locator('xpath=ancestor::*[@tabindex]').last())
  await announces(page, /delete_closed_issues/)
  t.is((await ended(someone, id)).status, 'completed')
})

test.serial('what a site asks in the middle of a call is answered by keyboard, and the call continues', async (t) => {
  const { platform, visitAs } = await open()
  const { server, someone, ordered, outcome } = await askingRun(t, platform, 'order')
  const page = await visitAs(t, someone, '/console/w/me/approvals')
  await page.getByRole('heading', { name: `The site ${server.url} asks` }).waitFor()
  await page.getByText('What do you order?').waitFor()
  await type(page, page.getByLabel('Amount (optional)'), 'ten')
  await press(page, page.getByRole('button', { name: 'Send the answer' }))
  await page.getByText('is required').waitFor()
  await page.getByText('must be a number').waitFor()
  await look(t, page, 'approvals-form')
  await type(page, page.getByLabel('Amount (optional)'), '2')
  await reach(page, page.getByRole('button', { name: /Size/ }))
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: 'Size m' }).waitFor()
  await page.keyboard.type('Size m')
  await page.keyboard.press('Enter')
  await press(page, page.getByRole('button', { name: 'Send the answer' }))
  await announces(page, /Answered: order continues/)
  t.like(await outcome(), { status: 'succeeded' })
  t.deepEqual(ordered, [{ size: 'm', amount: 2 }])
  await page.goto(`${platform.url}/console/w/me/approvals?show=decided`)
  await page.getByText('The site gets the values').waitFor()
  await page.getByText('What do you order?').waitFor()
  await look(t, page, 'approvals-answered')
})

test.serial('several questions at once are one form, whose lists are chosen from by keyboard', async (t) => {
  const { platform, visitAs } = await open()
  const { someone, ordered, outcome } = await askingRun(t, platform, 'lunch')
  const page = await visitAs(t, someone, '/console/w/me/approvals')
  await page.getByText('2. What to drink?').waitFor()
  await press(page, page.getByRole('button', { name: 'Send the answer' }))
  await page.getByText('must have at least 1 values').waitFor()
  for (const name of ['With bread', 'With salt']) {
    await reach(page, page.getByRole('checkbox', { name }))
    await page.keyboard.press('Space')
  }
  await look(t, page, 'approvals-lists')
  await press(page, page.getByRole('button', { name: 'Send the answer' }))
  t.like(await outcome(), { status: 'succeeded' })
  t.deepEqual(ordered, [[{ extras: ['bread', 'salt'] }, { extras: ['lemon'] }]])
})

test.serial(
  'the mail about an approval leads to it, also through signing in, and a refusal has its reason',
  async (t) => {
    const { platform, visit, linkTo, someone, agent } = await asking()
    const { id } = (await start(someone, agent)).body
    const link = await linkTo(someone.email, '/console/approvals/')
    const page = await visit(t, '/console/sign-in')
    await signIn(page, someone, link)
    await page.getByRole('heading', { name: 'Call delete_closed_issues' }).waitFor()
    t.regex(page.url(), /\/w\/me\/approvals\?approval=/)
    await press(page, page.getByLabel('Note'))
    await page.keyboard.type('Not during the audit.')
    await press(page, page.getByRole('button', { name: 'Refuse' }))
    t.is((await ended(someone, id)).status, 'completed')
    await page.goto(`${platform.url}/console/w/me/approvals?show=decided`)
    await page.getByText('Not during the audit.').first().waitFor()
    await look(t, page, 'approvals-decided')
  },
)
