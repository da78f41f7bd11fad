import test from 'ava'
import type { Page } from 'playwright-core'
import * as firstAdmin from '../../../api/first-admin.ts'
import { inviteFirstAdmin } from '../../../src/users/first-admin.ts'
import { call } from '../../helpers/client.ts'
import { customer, person } from '../../helpers/people.ts'
import { inviteTo, workspaceOf } from '../../helpers/workspaces.ts'
import { announces } from './announced.ts'
import { hasFocus, press, type } from './keyboard.ts'
import { look } from './look.ts'
import { consoleStage } from './stage.ts'

const open = consoleStage(test, 'newcomers to the console')

const password = 'correct horse battery'

async function makeAccount(page: Page, email: string): Promise<void> {
  await type(page, page.getByLabel('Email'), email)
  await type(page, page.getByLabel('Password', { exact: true }), password)
  await page.keyboard.press('Enter')
}

test.serial('without the link of the first start, nobody makes an admin, on the page or with the API', async (t) => {
  const { platform, visit } = await open()
  const page = await visit(t, '/console/first')
  await page.getByRole('heading', { name: 'This page needs a link' }).waitFor()
  await look(t, page, 'first-without-link')
  const body = { token: `sy_admin_${'A'.repeat(43)}`, email: 'thief@example.com', password }
  t.is((await call(platform, firstAdmin.createFirstAdmin, { body })).failure.code, 'INVALID_TOKEN')
  await page.goto(`${platform.url}/console/first#${body.token}`)
  await page.getByRole('heading', { name: 'Welcome to Switchyard' }).waitFor()
  await makeAccount(page, body.email)
  await page.getByRole('heading', { name: 'This page needs a link' }).waitFor()
})

test.serial('a newcomer follows the link of the first start, starts a template, and watches its run', async (t) => {
  const { platform, visit } = await open()
  const token = (await inviteFirstAdmin(platform.services, 'admin@switchyard.localhost'))?.token
  const page = await visit(t, `/console/first#${token}`)
  await page.getByRole('heading', { name: 'Welcome to Switchyard' }).waitFor()
  t.false(page.url().includes('sy_admin'), 'the token leaves the address')
  await look(t, page, 'first')
  await makeAccount(page, 'first@example.com')
  await hasFocus(page, page.getByRole('heading', { name: 'Start from a template' }))
  await page.getByRole('heading', { name: 'Turn bug reports into issues' }).waitFor()
  await look(t, page, 'start')
  const triage = page
    .getByRole('listitem')
    .filter({ hasText: 'Turn bug reports into issues' })
    .getByRole('button', { name: 'Start', exact: true })
  await press(page, triage)
  await hasFocus(page, page.getByRole('heading', { name: /#1$/ }))
  await announces(page, /is created, and its first run has started/)
  await page.getByText('completed', { exact: true }).first().waitFor()
  await page.getByText('issues.createIssue').first().waitFor()
  t.regex(await page.title(), /#1/)
  await look(t, page, 'run-completed')
  const late = await visit(t, `/console/first#${token}`)
  await makeAccount(late, 'late@example.com')
  await late.getByRole('heading', { name: 'This page needs a link' }).waitFor()
})

test.serial('without a login, the console shows nothing but the way to sign in', async (t) => {
  const { visit } = await open()
  for (const path of ['/', '/console', '/console/w/me/runs', '/console/w/me/approvals', '/console/runs/some-run']) {
    const page = await visit(t, path)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.context().close()
  }
  const page = await visit(t, '/console/sign-in')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await look(t, page, 'sign-in')
  await type(page, page.getByLabel('Email'), 'nobody@example.com')
  await type(page, page.getByLabel('Password', { exact: true }), password)
  await page.keyboard.press('Enter')
  await announces(page, /password/i)
  await look(t, page, 'sign-in-refused')
})

test.serial('an invited colleague gets from the mail into the workspace', async (t) => {
  const { platform, visit, linkTo } = await open()
  const boss = await customer(platform, 'team')
  const { id } = await workspaceOf(boss, 'Support')
  const email = 'colleague@example.com'
  await inviteTo(platform, boss, id, { email })
  const page = await visit(t, '/console/invitation')
  await page.getByRole('heading', { name: 'This invitation does not work' }).waitFor()
  await look(t, page, 'invitation-without-token')
  await page.goto(await linkTo(email, '/console/invitation#'))
  await page.getByRole('heading', { name: 'Join “Support”' }).waitFor()
  await look(t, page, 'invitation')
  await type(page, page.getByLabel('Email'), email)
  await type(page, page.getByLabel('Password', { exact: true }), password)
  await press(page, page.getByRole('button', { name: 'Create account' }))
  await page.getByText('is not verified yet').waitFor()
  await look(t, page, 'invitation-unverified')
  const mail = await page.context().newPage()
  await mail.goto(await linkTo(email, '/console/verify#'))
  await press(mail, mail.getByRole('button', { name: 'Verify address' }))
  await mail.getByRole('heading', { name: 'Your address is verified' }).waitFor()
  await look(t, mail, 'verified')
  await mail.close()
  await press(page, page.getByRole('button', { name: /Accept/ }))
  await press(page, page.getByRole('button', { name: /^Join/ }))
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  t.true(page.url().includes(`/w/${id}`))
  await look(t, page, 'home-empty')
})

test.serial('somebody who forgot a password chooses another one by mail', async (t) => {
  const { platform, visit, linkTo } = await open()
  const someone = await person(platform, 'forgetful@example.com')
  const page = await visit(t, '/console/forgot')
  await type(page, page.getByLabel('Email'), someone.email)
  await page.keyboard.press('Enter')
  await look(t, page, 'forgot')
  await platform.services.users.recovery.carryOut()
  await page.goto(await linkTo(someone.email, '/console/reset#'))
  await type(page, page.getByLabel(/password/i).first(), 'another horse and battery')
  await look(t, page, 'reset')
  await page.keyboard.press('Enter')
  await page
    .getByRole('heading', { name: /Sign in|password/i })
    .first()
    .waitFor()
  await look(t, page, 'reset-done')
})
