import test, { type ExecutionContext } from 'ava'
import * as billing from '../../api/billing.ts'
import { call } from '../helpers/client.ts'
import { agentOf, ended, person, timelineOf, type Person } from '../helpers/people.ts'
import { cancel, dataOf, start, waiting } from '../helpers/runs.ts'
import { events, reset, status, whole, type Act } from './failing-provider.ts'
import { sharedModels } from './shared-models.ts'
import { runOnce } from './stage-of-provider.ts'
import { anthropic, answers, chat, responses, wholeAnswers, type Protocol } from './wire.ts'

/* Failures of model calls as runs meet them, over the network. Which failures there are is a table of the reader. */

const stage = sharedModels(test)
type Run = Awaited<ReturnType<typeof runOnce>>['run']
type Failures = Record<string, unknown>[]

/** Ledger, balance, run and timeline agree on what was paid for. */
async function isPaid(t: ExecutionContext, someone: Person, seen: { run: Run; failures: Failures }, steps: number) {
  const { run, failures } = seen
  const { items } = (await call(someone, billing.listLedger, { query: { limit: '100' } })).body
  t.is(sumOf(items), (await call(someone, billing.getBilling)).body.balance)
  const charges = items.filter(({ runId }) => runId === run.id)
  const billed = failures.filter(({ inputTokens }) => inputTokens !== undefined)
  t.is(charges.filter(({ kind }) => kind === 'failed_step').length, billed.length)
  t.is(charges.filter(({ kind }) => kind === 'step').length, steps)
  t.is(0 - sumOf(charges), run.credits)
  t.is(
    run.credits,
    billed.reduce((sum, { credits }) => sum + Number(credits), steps),
  )
  t.is(run.inputTokens, 2000 * (billed.length + steps))
}

const sumOf = (entries: { credits: number }[]): number => entries.reduce((sum, { credits }) => sum + credits, 0)

/** Loses its connection in the middle of an answer in one piece. */
const cut: Act = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"id":')
  setTimeout(() => response.socket?.resetAndDestroy(), 100)
}
const used = '"usage":{"prompt_tokens":2000,"completion_tokens":0}'
const billedError = whole(`{"error":{"message":"Bad gateway.","code":502},${used}}`)
const brokeOff = /ended before it was complete/

/** Three failures of each protocol, and of an answer in one piece: their sentences, and whether they are billed. */
const failing: Record<Protocol | 'chat-whole', [act: Act, sentence: RegExp, isBilled?: true][]> = {
  chat: [
    [reset, /closed the connection/],
    [events([...chat.begin(), ...chat.end(), ...chat.usage()], 'reset'), brokeOff, true],
    [status(529), /failing or overloaded \(status 529\)/],
  ],
  anthropic: [
    [events(anthropic.begin(), 'reset'), brokeOff, true],
    [events(anthropic.begin()), /ended early/, true],
    [status(503), /status 503/],
  ],
  responses: [
    [events(responses.begin(), 'reset'), brokeOff],
    [events([...responses.begin(), ...responses.failed({ code: 'server_error', message: 'No.' })]), /500/, true],
    [status(408), /status 408/],
  ],
  'chat-whole': [
    [cut, brokeOff],
    [billedError, /status 502/, true],
    [whole('{"error":"It broke."}'), /reported a failure/],
  ],
}

for (const [asked, acts] of Object.entries(failing) as [keyof typeof failing, (typeof failing)['chat']][]) {
  test(`three failures that pass cost what the provider bills, and the fourth attempt is answered (${asked})`, async (t) => {
    const { provider, platform, play } = await stage()
    const someone = await person(platform)
    const good = asked === 'chat-whole' ? whole(wholeAnswers.chat()) : events(answers[asked]())
    const model = play([...acts.map(([act]) => act), good], asked)
    const seen = await runOnce(someone, { model }, 150)
    t.like(seen.run, { status: 'completed', steps: 1 })
    t.is(seen.failures.length, 3)
    for (const [index, [, sentence, isBilled]] of acts.entries()) {
      const failure = seen.failures[index]
      t.like(failure, { step: 1, attempt: index + 1, model, code: 'MODEL_ERROR', willRetry: true })
      t.regex(String(failure?.['message']), sentence)
      t.is(failure?.['inputTokens'], isBilled ? 2000 : undefined)
      t.is(failure?.['retryAt'], undefined)
    }
    t.is(provider.requestsOf(model).length, 4)
    await isPaid(t, someone, seen, 1)
  })
}

test('a model that fails four times makes the run wait, and what each attempt has used is charged', async (t) => {
  const { provider, platform, play } = await stage()
  const someone = await person(platform)
  const model = play([events(anthropic.begin(), 'reset')], 'anthropic')
  const { id } = (await start(someone, await agentOf(someone, { model }))).body
  t.like(await waiting(someone, id, 150), { waitingCause: 'model', waitingFor: model })
  await cancel(someone, id)
  const run = await ended(someone, id)
  const failures = dataOf(await timelineOf(someone, id), 'step.failed')
  t.deepEqual(
    failures.map(({ retryAt, willRetry }) => [willRetry, retryAt !== undefined]),
    [1, 2, 3, 4].map((attempt) => [true, attempt === 4]),
    'only the last attempt is followed by a wait',
  )
  t.is(provider.requestsOf(model).length, 4)
  await isPaid(t, someone, { run, failures }, 0)
})

test('a failure that cannot pass ends the run after one request, and costs nothing', async (t) => {
  const { provider, platform, play } = await stage()
  const someone = await person(platform)
  const model = play([status(307, { location: 'http://127.0.0.1:9/' }, '')])
  const seen = await runOnce(someone, { model })
  t.like(seen.run, { status: 'failed', reason: 'MODEL_ERROR', steps: 0 })
  t.like(seen.failures, [{ attempt: 1, willRetry: false }])
  t.regex(String(seen.failures[0]?.['message']), /redirect \(status 307\)\. Redirects are not followed/)
  t.is(provider.requestsOf(model).length, 1)
  await isPaid(t, someone, seen, 0)
})
