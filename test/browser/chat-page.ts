// @promise chat-clients
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { execa } from '../../bin/execa.ts'
import type { Page } from 'playwright-core'
import * as apiKeys from '../../api/api-keys.ts'
import * as vault from '../../api/vault.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { askingTools } from '../helpers/asking-tools.ts'
import { call } from '../helpers/client.ts'
import { startMcpServer } from '../helpers/mcp-server.ts'
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
  const [port = 0, askingPort = 0] = await freePorts(2)
  const [address, askingAddress] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${askingPort}`]
  const env = {
    CORS_ORIGINS: `${address},${askingAddress}`,
    CHAT_START_SECONDS: '1',
    SITE_ALLOW: '127.0.0.0/8,::1/128',
  }
  const stage = await openStage(t, { worker: false, env })
  const owner = await customer(stage.platform)
  const entryId = await connectTracker(owner, stage.sites)
  const body = { name: 'Chat page', scopes: ['read' as const, 'write' as const, 'decide' as const] }
  const { key } = (await call(owner, apiKeys.createApiKey, { body })).body
  const server = { API: stage.platform.url, API_KEY: key, ENTRY: entryId, PORT: String(port) }
  await startExample(t, server)
  const ordered: unknown[] = []
  const asking = await startMcpServer(t, { more: askingTools(ordered) })
  const { id } = (await call(owner, vault.addToVault, { body: { url: asking.url } })).body
  await startExample(t, { ...server, ENTRY: id, TOOLS: 'order,lunch', PORT: String(askingPort) })
  return { address, askingAddress, ordered, openPage: await openBrowser(t) }
})

async function openChat(given?: string): Promise<Page> {
  const { address, openPage } = await open()
  const page = await openPage()
  await page.goto(given ?? address)
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

test('the page of the example shows the form of a tool, and sends what was entered', async (t) => {
  const { askingAddress, ordered } = await open()
  const page = await openChat(askingAddress)
  await say(page, '[[call order {}]] [[then]] [[call lunch {}]] [[then]] [[say That is all.]]')
  await page.selectOption('.approval select', { label: 'Size m' })
  await page.fill('.approval input', '12')
  await page.click('text=Send the answer')
  t.regex((await page.textContent('[role=alert]')) ?? '', /at most 9/)
  await page.fill('.approval input', '2')
  await page.click('text=Send the answer')
  await page.getByLabel('1. Extras').selectOption(['salt', 'bread'])
  await page.click('text=Send the answer')
  await shows(page, 'That is all.')
  const lunch = [{ extras: ['salt', 'bread'] }, { extras: ['lemon'] }]
  t.deepEqual(ordered, [{ size: 'm', amount: 2 }, lunch])
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
