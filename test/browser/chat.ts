import test from 'ava'
import type * as ai from 'ai'
import type { Page } from 'playwright-core'
import { historyOf, openSession, type TestSession } from '../chat/stage.ts'
import { connectBadTools, customer } from '../helpers/people.ts'
import { openStage } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { modelsEnvironment } from '../models/stage.ts'
import { startTalker } from '../models/talker.ts'
import { bundleClient } from './bundled-client.ts'
import { openBrowser } from './open-browser.ts'
import { startWebsite } from './website.ts'

/* Globals of the page: the bundled package, and the chat that is open. */
declare const client: typeof ai
declare const chat: ai.AbstractChat<ai.UIMessage>

const open = forWholeFile(test, 'chats in a browser', async (t) => {
  const website = await startWebsite(t, await bundleClient())
  const talker = await startTalker(t)
  const demo = { name: 'demo', kind: 'demo', models: [{ id: 'demo' }] }
  const env = modelsEnvironment(t, [demo, talker.provider(['talking'])], 'demo')
  const stage = await openStage(t, { worker: false, env: { ...env, CORS_ORIGINS: website } })
  const openPage = await openBrowser(t)
  const owner = await customer(stage.platform)
  const vaultEntryId = await connectBadTools(owner, stage.sites)
  return { ...stage, talker, website, openPage, owner, vaultEntryId }
})

/** Runs in the page: opens the chat as a page does, with what the history has. */
const openChat = async ({ url, token }: Pick<TestSession, 'url' | 'token'>): Promise<void> => {
  const { AbstractChat, DefaultChatTransport } = client
  const api = `${url}/chat/messages`
  const headers = { 'X-Session-Token': token }
  const history = (await (await fetch(api, { headers })).json()) as { items: ai.UIMessage[] }
  const state: ai.ChatState<ai.UIMessage> = {
    status: 'ready',
    error: undefined,
    messages: history.items,
    pushMessage: (message) => void state.messages.push(message),
    popMessage: () => void state.messages.pop(),
    replaceMessage: (index, message) => void (state.messages[index] = message),
    snapshot: (thing) => structuredClone(thing),
  }
  class Chat extends AbstractChat<ai.UIMessage> {}
  Object.assign(globalThis, { chat: new Chat({ state, transport: new DefaultChatTransport({ api, headers }) }) })
}

const chatOn = (page: Page) =>
  page.evaluate(() => {
    const { status, error, messages } = chat
    return { status, error: error?.message, messages }
  })

const lastWordsOn = async (page: Page): Promise<string> => {
  const { messages } = await chatOn(page)
  return (messages.at(-1)?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Waits until the page shows exactly these words. */
const shows = (page: Page, words: string) =>
  page.waitForFunction((expected) => {
    const parts = chat.lastMessage?.parts ?? []
    return parts.map((part) => (part.type === 'text' ? part.text : '')).join('') === expected
  }, words)

test('a page of another origin holds a conversation with a tool through the client of the AI SDK', async (t) => {
  const { website, openPage, owner, vaultEntryId } = await open()
  const session = await openSession(owner, { sites: [{ vaultEntryId, tools: ['slow_read'] }] })
  const page = await openPage()
  await page.goto(website)
  await page.evaluate(openChat, session)
  const say = (text: string) => page.evaluate((words) => chat.sendMessage({ text: words }), text)
  await say('[[call slow_read {"seconds":0}]] [[say All done.]]')
  const { status, messages } = await chatOn(page)
  t.is(status, 'ready')
  t.like(
    messages[1]?.parts.filter(({ type }) => type === 'dynamic-tool'),
    [{ toolName: 'slow_read', state: 'output-available', output: { waited: 0 } }],
  )
  t.regex(await lastWordsOn(page), /All done\./)
  await say('[[fail 500]]')
  const failed = await chatOn(page)
  t.is(failed.status, 'error')
  t.like(JSON.parse(failed.error ?? ''), { code: 'MODEL_ERROR' })
  await page.evaluate(() => {
    const messageId = chat.messages.at(-1)?.id ?? ''
    return chat.sendMessage({ text: '[[say Here I am.]]', messageId })
  })
  t.regex(await lastWordsOn(page), /Here I am\./)
})

test('a page that is loaded again resumes the answer under way, and shows it whole', async (t) => {
  const { website, openPage, owner, talker } = await open()
  const session = await openSession(owner, { model: 'talking', onDisconnect: 'continue' })
  const page = await openPage()
  await page.goto(website)
  await page.evaluate(openChat, session)
  await page.evaluate(() => void chat.sendMessage({ text: 'Tell me.' }))
  const speaking = await talker.call('talking')
  speaking.say('One. ')
  await shows(page, 'One. ')
  await page.reload()
  speaking.say('Two. ')
  await page.evaluate(openChat, session)
  await page.evaluate(() => void chat.resumeStream())
  await shows(page, 'One. Two. ')
  speaking.say('Three.')
  speaking.finish()
  await shows(page, 'One. Two. Three.')
  await page.waitForFunction(() => chat.status === 'ready')
  const { messages } = await chatOn(page)
  const { items } = await historyOf(session)
  t.deepEqual(
    messages.map(({ id, role }) => ({ id, role })),
    items.map(({ id, role }) => ({ id, role: role as 'user' })),
  )
  t.like(items[1], { status: 'completed' })
})
