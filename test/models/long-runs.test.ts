import test, { type ExecutionContext } from 'ava'
import * as agentRuns from '../../api/agent-runs.ts'
import * as vault from '../../api/vault.ts'
import { leftOutIn, shortenedSentence } from '../../src/models/prompt-format.ts'
import { call } from '../helpers/client.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { startPageSite } from '../helpers/page-site.ts'
import { agentOf, customer, ended, timelineOf } from '../helpers/people.ts'
import { dataOf } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { events, status, type Act } from './failing-provider.ts'
import { sharedModels } from './shared-models.ts'
import { chat } from './wire.ts'

const [contextTokens, maxOutputTokens] = [6000, 1000]

interface ChatRequest {
  messages: { role: string; content: unknown; tool_calls?: { id: string }[]; tool_call_id?: string }[]
  tools?: unknown[]
}

const textOf = ({ messages }: ChatRequest): string => JSON.stringify(messages)
const isSummary = ({ messages }: ChatRequest): boolean => /Write a summary of/.test(JSON.stringify(messages[0]))
const results = ({ messages }: ChatRequest) =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content))
const bytesOf = (request: ChatRequest): number => Buffer.byteLength(JSON.stringify(request))

const names = ['outgrown', 'summarized', 'unsummarized', 'unread', 'cut']
const models = sharedModels(test, { chat: names.map((id) => ({ id, contextTokens, maxOutputTokens })) })
const stage = forWholeFile(test, 'long runs', async (t) => {
  const startSite = async (bytes: number) => {
    const site = await startPageSite(await temporaryCertificates(), bytes)
    t.teardown(site.close)
    return site.origin
  }
  return { ...(await models()), pages: await startSite(3000), longPages: await startSite(60_000) }
})

interface Options {
  pages: number
  agent?: object
  /** What is done instead of a summary. */
  summary?: Act
  site?: 'pages' | 'longPages'
  input?: string
}

/** Carries out a run whose model reads so many pages, one a step; `asked` has what it was asked, in order. */
async function readPages(model: string, { pages, agent = {}, summary, site = 'pages', input }: Options) {
  const { provider, platform, ...sites } = await stage()
  const asked: ChatRequest[] = []
  let read = 0

  /** The model counts a token for four bytes. */
  const answer = (request: ChatRequest, text: string, page?: number) => {
    const reading = { id: `c${page}`, name: 'read_page', arguments: `{"page":${page}}` }
    const end = page === undefined ? chat.end() : [...chat.calls([reading]), ...chat.end('tool_calls')]
    return events([...chat.begin(text), ...end, ...chat.usage(Math.ceil(bytesOf(request) / 4)), ...chat.done()])
  }
  provider.play(model, [
    (...given) => {
      const request = given[1].body as unknown as ChatRequest
      asked.push(request)
      if (isSummary(request)) return (summary ?? answer(request, `SUMMARY ${read}`))(...given)
      if (read >= pages) return answer(request, 'All is read.')(...given)
      read += 1
      return answer(request, `I read page ${read}.`, read)(...given)
    },
  ])
  const someone = await customer(platform)
  const vaultEntryId = (await call(someone, vault.addToVault, { body: { url: sites[site], token: 'any' } })).body.id
  const made = await agentOf(someone, { model, systemPrompt: 'Read all pages.', sites: [{ vaultEntryId }], ...agent })
  const params = { agentId: made.id }
  const { id } = (await call(someone, agentRuns.startRun, { params, ...(input && { body: { input } }) })).body
  const run = await ended(someone, id, 150)
  const timeline = await timelineOf(someone, id)
  return { asked, run, timeline, fitted: dataOf(timeline, 'context.fitted') }
}

/** What every prompt must be: inside the window, with whole pairs, and with the last result whole. */
function checkPrompts(t: ExecutionContext, asked: ChatRequest[]): void {
  for (const [index, request] of asked.entries()) {
    t.true(bytesOf(request) / 4 <= contextTokens - maxOutputTokens, `request ${index} fits`)
    if (isSummary(request)) continue
    const called = request.messages.flatMap((message) => message.tool_calls ?? []).map(({ id }) => id)
    const answered = request.messages.flatMap(({ tool_call_id: id }) => id ?? [])
    t.deepEqual(called, answered, 'every call has its result')
    const last = results(request).at(-1)
    if (last !== undefined) t.regex(last, /end of page/, 'the last result is whole')
  }
}

test('a run whose results outgrow the window of its model is shown less and less of its beginning, and is completed', async (t) => {
  const { asked, run, fitted } = await readPages('outgrown', { pages: 24 })
  t.like(run, { status: 'completed', steps: 25, toolCalls: 24 })
  checkPrompts(t, asked)
  t.true(asked.some((request) => textOf(request).includes(shortenedSentence)))
  const last = asked.at(-1)
  const leftOut = leftOutIn(String(last?.messages[1]?.content))
  t.true(leftOut > 2, `${leftOut} steps are left out`)
  t.is(fitted.at(-1)?.['leftOutThrough'], leftOut)
  t.true(textOf(last as ChatRequest).includes('I read page 24.'))
  t.false(textOf(last as ChatRequest).includes('I read page 2.'))
  t.true(
    Number(fitted[0]?.['shortenedThrough']) > 0 && fitted[0]?.['leftOutThrough'] === 0,
    'results are shortened first',
  )
  // With slack, so that most prompts only grow.
  t.true(fitted.length > 3 && fitted.length < 16, `it was cut ${fitted.length} times`)
  for (const { tokensBefore, tokensAfter, contextTokens: all } of fitted) {
    t.true(Number(tokensAfter) < Number(tokensBefore) && Number(tokensAfter) < Number(all))
  }
})

test('an agent that wants it gets a summary of what is left out, as a step of its own that is charged', async (t) => {
  const { asked, run, timeline } = await readPages('summarized', { pages: 24, agent: { summarizes: true } })
  t.is(run.status, 'completed')
  checkPrompts(t, asked)
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
  const options = { pages: 14, agent: { summarizes: true }, summary: status(400) }
  const { asked, run, timeline, fitted } = await readPages('unsummarized', options)
  t.like(run, { status: 'completed', steps: 15 })
  t.true(dataOf(timeline, 'step.failed').every(({ willRetry }) => willRetry))
  t.true(fitted.some(({ note }) => String(note).includes('The model failed to summarize them')))
  t.false(textOf(asked.at(-1)!).includes('SUMMARY'))
})

test('a payload that no window has room for ends the run before its model is asked, with both sizes', async (t) => {
  const { asked, run, timeline } = await readPages('unread', { pages: 1, input: 'Read it all. '.repeat(4000) })
  t.like(run, { status: 'failed', reason: 'MODEL_ERROR' })
  t.deepEqual(asked, [])
  const [{ message, willRetry } = {}] = dataOf(timeline, 'step.failed')
  t.regex(String(message), /about \d{5} tokens\. Its context window is 6000 tokens, and a prompt can use 5000/)
  t.is(willRetry, false)
})

test('of a result that is longer than a small window a model sees the beginning', async (t) => {
  const { asked, run } = await readPages('cut', { pages: 2, site: 'longPages' })
  t.is(run.status, 'completed')
  t.regex(results(asked[1]!)[0] ?? '', /Only its first 4500 bytes follow/)
})
