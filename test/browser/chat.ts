// @promise chat-clients
import test from 'ava'
import type * as ai from 'ai'
import type { Page } from 'playwright-core'
import { historyOf, openSession, type TestSession } from '../chat/stage.ts'
import * as approvals from '../../api/approvals.ts'
import { call } from '../helpers/client.ts'
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
  const env = modelsEnvironment([demo, talker.provider(['talking', 'stopped'])], 'demo')
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

const idsOf = (messages: { id: string }[]): string[] => messages.map(({ id }) => id)

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

test('a page shows what somebody is asked to approve, and resumes the answer once it is approved', async (t) => {
  const { website, openPage, owner, vaultEntryId } = await open()
  const session = await openSession(owner, { sites: [{ vaultEntryId, tools: ['slow_once'], askFirst: ['slow_once'] }] })
  const page = await openPage()
  await page.goto(website)
  await page.evaluate(openChat, session)
  await page.evaluate(() => chat.sendMessage({ text: '[[call slow_once {"seconds":0}]] [[say All done.]]' }))
  const { messages } = await chatOn(page)
  const asked = messages[1]?.parts.find(({ type }) => type === 'data-approval') as { id: string } | undefined
  const params = { approvalId: asked?.id ?? '' }
  t.is((await call(owner, approvals.decideApproval, { params, body: { decision: 'approve' } })).body.status, 'approved')
  await page.evaluate(() => chat.resumeStream())
  const resumed = await chatOn(page)
  t.deepEqual(idsOf(resumed.messages), idsOf(messages))
  t.like(
    resumed.messages[1]?.parts.filter(({ type }) => type === 'dynamic-tool'),
    [{ state: 'output-available', output: { waited: 0 } }],
  )
  t.regex(await lastWordsOn(page), /All done\./)
})

test('a page stops an answer that would go on without it', async (t) => {
  const { website, openPage, owner, talker } = await open()
  const session = await openSession(owner, { model: 'stopped', onDisconnect: 'continue' })
  const page = await openPage()
  await page.goto(website)
  await page.evaluate(openChat, session)
  await page.evaluate(() => void chat.sendMessage({ text: 'Tell me.' }))
  ;(await talker.call('stopped')).say('One. ')
  await shows(page, 'One. ')
  const stopped = await page.evaluate(async ({ url, token }) => {
    const address = `${url}/chat/messages/${chat.id}/stream?messageId=${chat.lastMessage?.id}`
    return (await fetch(address, { method: 'DELETE', headers: { 'X-Session-Token': token } })).status
  }, session)
  t.is(stopped, 204)
  await page.waitForFunction(() => chat.status === 'ready')
  t.like((await historyOf(session)).items[1], { status: 'stopped', parts: [{ type: 'step-start' }, { text: 'One. ' }] })
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
  t.deepEqual(idsOf(messages), idsOf(items))
  t.like(items[1], { status: 'completed' })
})
