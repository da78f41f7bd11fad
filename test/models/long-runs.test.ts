import test, { type ExecutionContext } from 'ava'
import * as agentRuns from '../../api/agent-runs.ts'
import * as vault from '../../api/vault.ts'
import { leftOutIn, shortenedSentence } from '../../src/models/prompt-format.ts'
import { startChatServer, type ChatAnswer, type ChatRequest } from '../helpers/chat-server.ts'
import { call } from '../helpers/client.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { startPageSite } from '../helpers/page-site.ts'
import { agentOf, customer, ended, timelineOf } from '../helpers/people.ts'
import { dataOf } from '../helpers/runs.ts'
import { isProbe } from './failing-provider.ts'
import { openModels } from './stage.ts'

const contextTokens = 6000
const window = { id: 'small', contextTokens, maxOutputTokens: 1000, price: { input: 1, output: 2 } }

const textOf = ({ messages }: ChatRequest): string => JSON.stringify(messages)
const isSummary = ({ messages }: ChatRequest): boolean => /Write a summary of/.test(JSON.stringify(messages[0]))
const results = ({ messages }: ChatRequest) =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content))

interface Options {
  pages: number
  agent?: object
  env?: Record<string, string>
  /** Answers of a summary. */
  summary?: () => ChatAnswer
  bytes?: number
  input?: string
}

/** Carries out a run whose model reads so many pages, one a step; `asked` has what it was asked, in order. */
async function readPages(t: ExecutionContext, { pages, agent = {}, env = {}, summary, bytes = 3000, input }: Options) {
  const asked: ChatRequest[] = []
  const sizes: number[] = []
  let read = 0
  const server = await startChatServer((request, size) => {
    if (isProbe(request)) return { text: 'yes' }
    asked.push(request)
    sizes.push(size)
    if (isSummary(request)) return summary?.() ?? { text: `SUMMARY ${read}` }
    if (read >= pages) return { text: 'All is read.' }
    read += 1
    return { text: `I read page ${read}.`, calls: [{ name: 'read_page', arguments: `{"page":${read}}` }] }
  })
  t.teardown(server.close)
  const site = await startPageSite(await temporaryCertificates(), bytes)
  t.teardown(site.close)
  const provider = { name: 'local', kind: 'openai-compatible', baseUrl: server.url, models: [window] }
  const limits = { RUN_STEPS: '200', RUN_TOOL_CALLS: '200' }
  const { platform } = await openModels(t, [provider], {
    allow: [new URL(site.origin).host],
    env: { ...limits, ...env },
  })
  const someone = await customer(platform)
  const vaultEntryId = (await call(someone, vault.addToVault, { body: { url: site.origin, token: 'any' } })).body.id
  const made = await agentOf(someone, { systemPrompt: 'Read all pages.', sites: [{ vaultEntryId }], ...agent })
  const { id } = (
    await call(someone, agentRuns.startRun, { params: { agentId: made.id }, ...(input && { body: { input } }) })
  ).body
  const run = await ended(someone, id, 150)
  const timeline = await timelineOf(someone, id)
  return { asked, sizes, run, timeline, fitted: dataOf(timeline, 'context.fitted') }
}

/** What every prompt must be: inside the window, with whole pairs, and with the last result whole. */
function checkPrompts(t: ExecutionContext, { asked, sizes }: { asked: ChatRequest[]; sizes: number[] }): void {
  for (const [index, request] of asked.entries()) {
    // The server counts a token for four bytes.
    t.true((sizes[index] ?? 0) / 4 <= contextTokens - window.maxOutputTokens, `request ${index} fits`)
    if (isSummary(request)) continue
    const called = request.messages.flatMap((message) => message.tool_calls ?? []).map(({ id }) => id)
    const answered = request.messages.flatMap((message) =>
      message.role === 'tool' ? [(message as unknown as { tool_call_id: string }).tool_call_id] : [],
    )
    t.deepEqual(called, answered, 'every call has its result')
    const last = results(request).at(-1)
    if (last !== undefined) t.regex(last, /end of page/, 'the last result is whole')
  }
}

test('a run whose results outgrow the window of its model is shown less and less of its beginning, and is completed', async (t) => {
  const { asked, sizes, run, fitted } = await readPages(t, { pages: 24 })
  t.like(run, { status: 'completed', steps: 25, toolCalls: 24 })
  checkPrompts(t, { asked, sizes })
  t.true(asked.some((request) => textOf(request).includes(shortenedSentence)))
  const last = asked.at(-1)
  const leftOut = leftOutIn(String(last?.messages[1]?.content))
  t.true(leftOut > 2, `${leftOut} steps are left out`)
  t.is(fitted.at(-1)?.['leftOutThrough'], leftOut)
  t.true(textOf(last as ChatRequest).includes('I read page 24.'))
  t.false(textOf(last as ChatRequest).includes('I read page 2.'))
  // With slack, so that most prompts only grow.
  t.true(fitted.length > 3 && fitted.length < 16, `it was cut ${fitted.length} times`)
  for (const { tokensBefore, tokensAfter, contextTokens: all } of fitted) {
    t.true(Number(tokensAfter) < Number(tokensBefore) && Number(tokensAfter) < Number(all))
  }
})

test('results are shortened before steps are left out', async (t) => {
  const { fitted } = await readPages(t, { pages: 6 })
  t.true(Number(fitted[0]?.['shortenedThrough']) > 0)
  t.is(fitted[0]?.['leftOutThrough'], 0)
})

test('an agent that wants it gets a summary of what is left out, as a step of its own that is charged', async (t) => {
  const { asked, sizes, run, timeline } = await readPages(t, { pages: 24, agent: { summarizes: true } })
  t.is(run.status, 'completed')
  checkPrompts(t, { asked, sizes })
  const summaries = dataOf(timeline, 'step.finished').filter(({ outcome }) => outcome === 'summary')
  t.true(summaries.length > 1)
  t.is(run.steps, 25 + summaries.length)
  t.true(summaries.every(({ credits, costUsd }) => Number(credits) > 0 && Number(costUsd) > 0))
  const requests = asked.filter(isSummary)
  t.is(requests.length, summaries.length)
  t.regex(textOf(requests[0]!), /I read page 1\./)
  t.true(requests.every(({ tools }) => tools === undefined))
  // A summary of a summary: what the first one said reaches the second.
  t.true(textOf(requests[1]!).includes(String(summaries[0]?.['text'])))
  const last = textOf(asked.at(-1)!)
  t.true(last.includes(String(summaries.at(-1)?.['text'])))
  t.false(last.includes(String(summaries[0]?.['text'])))
})

test('a run whose model cannot summarise goes on without a summary, and the timeline says so', async (t) => {
  const summary = () => ({ status: 400 })
  const { asked, run, timeline, fitted } = await readPages(t, { pages: 14, agent: { summarizes: true }, summary })
  t.like(run, { status: 'completed', steps: 15 })
  t.true(dataOf(timeline, 'step.failed').every(({ willRetry }) => willRetry))
  t.true(fitted.some(({ note }) => String(note).includes('A summary of them was asked for')))
  t.false(textOf(asked.at(-1)!).includes('SUMMARY'))
})

test('a payload that no window has room for ends the run before its model is asked, with both sizes', async (t) => {
  const { asked, run, timeline } = await readPages(t, {
    pages: 1,
    input: 'Read it all. '.repeat(4000),
  })
  t.like(run, { status: 'failed', reason: 'MODEL_ERROR' })
  t.deepEqual(asked, [])
  const [{ message, willRetry } = {}] = dataOf(timeline, 'step.failed')
  t.regex(String(message), /about \d{5} tokens; its context window has 6000 tokens, of which a prompt may take 5000/)
  t.is(willRetry, false)
})

test('of a result that is longer than a small window a model sees the beginning', async (t) => {
  const { asked, run } = await readPages(t, { pages: 2, bytes: 60_000 })
  t.is(run.status, 'completed')
  t.regex(results(asked[1]!)[0] ?? '', /only the first 4500 bytes follow/)
})
