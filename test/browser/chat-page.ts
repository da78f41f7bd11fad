// @promise chat-clients
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { execa } from '../../bin/execa.ts'
import type { Page } from 'playwright-core'
import * as apiKeys from '../../api/api-keys.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { call } from '../helpers/client.ts'
import { connectTracker, customer } from '../helpers/people.ts'
import { ownEnvironment } from '../helpers/servers.ts'
import { openStage } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { openBrowser } from './open-browser.ts'

const cwd = join(import.meta.dirname, '../../examples/chat')

/** The server of the example, as its reader starts it. */
async function startExample(t: Pick<ExecutionContext, 'teardown'>, env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, ['server.mjs'], { cwd, env: { ...ownEnvironment(), ...env } })
  t.teardown(() => void child.kill())
  child.stderr.pipe(process.stderr)
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The server of the example has ended.')))
  const listening = once(child.stdout, 'data')
  await Promise.race([listening, ended])
  ended.catch(() => undefined)
}

const open = forWholeFile(test, 'the example of a chat page', async (t) => {
  await execa('npm', ['ci', '--no-audit', '--no-fund'], { cwd })
  const [port = 0] = await freePorts(1)
  const address = `http://127.0.0.1:${port}`
  const stage = await openStage(t, { worker: false, env: { CORS_ORIGINS: address, CHAT_START_SECONDS: '1' } })
  const owner = await customer(stage.platform)
  const entryId = await connectTracker(owner, stage.sites)
  const body = { name: 'Chat page', scopes: ['read' as const, 'write' as const] }
  const { key } = (await call(owner, apiKeys.createApiKey, { body })).body
  const env = { API: stage.platform.url, API_KEY: key, ENTRY: entryId, PORT: String(port) }
  await startExample(t, env)
  return { address, openPage: await openBrowser(t) }
})

async function openChat(): Promise<Page> {
  const { address, openPage } = await open()
  const page = await openPage()
  await page.goto(address)
  await page.waitForSelector('input')
  return page
}

async function say(page: Page, text: string): Promise<void> {
  await page.fill('input', text)
  await page.click('text=Send')
}

/** Waits until an answer has the text: the message of the user has the directive. */
const shows = (page: Page, text: string) => page.waitForSelector(`.assistant >> text=${text}`)

test('the page of the example chats, calls a tool, and shows what was said after a reload', async (t) => {
  const page = await openChat()
  await say(page, '[[call search_issues {"status":"open"}]] [[then]] [[say Those are open.]]')
  await shows(page, 'Those are open.')
  await shows(page, 'Called search_issues.')
  await page.reload()
  await shows(page, 'Those are open.')
  t.is(await page.locator('.user').count(), 1)
})

test('the page of the example asks before a call that cannot be undone', async (t) => {
  const page = await openChat()
  await say(page, '[[call delete_issue {"id":2}]] [[then]] [[say I tried.]]')
  await page.click('text=Refuse')
  await shows(page, 'I tried.')
  t.is(await page.locator('.approval').count(), 0)
})

test('the page of the example stops an answer, and resumes one after a reload', async (t) => {
  const page = await openChat()
  await say(page, '[[call search_issues {}]] [[then]] [[sleep 60]] [[say Never.]]')
  await shows(page, 'Called search_issues.')
  await page.click('text=Stop')
  await page.waitForSelector('text=Send')
  const begun = page.waitForResponse((response) => response.request().method() === 'POST')
  await say(page, '[[sleep 3]] [[say Still here.]]')
  await begun
  await page.reload()
  await shows(page, 'Still here.')
  t.is(await page.locator('.assistant >> text=Never.').count(), 0)
})

test('the page of the example shows an error as a sentence, and tries again', async (t) => {
  const page = await openChat()
  await say(page, '[[fail 500]]')
  const said = await page.waitForSelector('[role=alert]')
  t.notRegex((await said.textContent()) ?? '', /[{}]/)
  t.truthy(await page.$('text=Try again'))
})
