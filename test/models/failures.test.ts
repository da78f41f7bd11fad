import test, { type ExecutionContext } from 'ava'
import pLimit from 'p-limit'
import * as billing from '../../api/billing.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { call } from '../helpers/client.ts'
import { agentOf, ended, person, timelineOf, type Person } from '../helpers/people.ts'
import { cancel, dataOf, start, waiting } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { events, startFailingProvider, whole, type Act } from './failing-provider.ts'
import { failureRows, type FailureRow } from './failure-rows.ts'
import { openModels } from './stage.ts'
import { answers, kindOf, protocols, wholeAnswers } from './wire.ts'

/*
 * Every row of the tables of failures, each with a model of its own: that fails once, and that fails always.
 */

const modelOf = ({ title, protocol }: FailureRow, how: 'once' | 'always'): string =>
  `${protocol}-${title.replaceAll(/\W+/g, '-')}-${how}`

const price = { input: 1, output: 2 }

const stage = forWholeFile(test, 'failures of models', async (t) => {
  const provider = await startFailingProvider(t)
  const providers = protocols.map((protocol) => ({
    name: protocol,
    kind: kindOf[protocol],
    baseUrl: provider.url,
    apiKeyEnv: 'THE_KEY',
    models: failureRows
      .filter((row) => row.protocol === protocol)
      .flatMap((row) =>
        (['once', 'always'] as const).map((how) => ({ id: modelOf(row, how), price, stream: row.isWhole !== true })),
      ),
  }))
  const [port] = await freePorts(1)
  const away = {
    name: 'away',
    kind: 'openai-compatible',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    models: [{ id: 'away' }],
  }
  const { platform } = await openModels(t, [...providers, away])
  return { provider, platform }
})

/** A run of an agent with this model, to its end, or until it waits for its model. */
async function runWith(someone: Person, model: string, until: 'ends' | 'waits' = 'ends') {
  const agent = await agentOf(someone, { model })
  const { id } = (await start(someone, agent)).body
  const run = await (until === 'ends' ? ended(someone, id, 150) : waiting(someone, id, 150))
  if (until === 'waits') await cancel(someone, id)
  const timeline = await timelineOf(someone, id)
  return { run, timeline, failures: dataOf(timeline, 'step.failed') }
}

/** So many rows at a time: all at once would ask more of one platform than its database has connections for. */
const inTurn = pLimit(12)

const fails = (t: ExecutionContext, row: FailureRow, how: 'once' | 'always') => inTurn(() => failsNow(t, row, how))

async function failsNow(t: ExecutionContext, row: FailureRow, how: 'once' | 'always') {
  const { provider, platform } = await stage()
  const someone = await person(platform)
  const model = modelOf(row, how)
  const good: Act = row.isWhole ? whole(wholeAnswers[row.protocol]()) : events(answers[row.protocol]())
  provider.play(model, how === 'once' ? [row.act, good] : [row.act])
  const waits = row.passes && how === 'always'
  const seen = await runWith(someone, model, waits ? 'waits' : 'ends')
  const attempts = row.passes && how === 'always' ? 4 : 1
  t.is(seen.failures.length, attempts)
  for (const [index, failure] of seen.failures.entries()) {
    t.like(failure, { step: 1, attempt: index + 1, model, code: 'MODEL_ERROR' })
    t.is(failure['retryAt'] !== undefined, waits && index === 3, 'only the last attempt is followed by a wait')
    t.is(failure['willRetry'], row.passes)
    t.regex(String(failure['message']), row.sentence)
    t.is(failure['inputTokens'], row.isBilled ? 2000 : undefined)
  }
  const answered = how === 'once' && row.passes ? 1 : 0
  t.is(provider.requestsOf(model).length, attempts + answered, 'the provider has seen each attempt once')
  const failed = { status: 'failed', reason: 'MODEL_ERROR', steps: 0 }
  const unanswered = waits ? { status: 'waiting', waitingCause: 'model', waitingFor: model } : failed
  t.like(seen.run, answered ? { status: 'completed', steps: 1 } : unanswered)
  await isPaid(t, someone, { ...seen, answered, billed: row.isBilled ? attempts : 0 })
}

/** Ledger, balance, run and timeline agree on what was paid for. */
async function isPaid(
  t: ExecutionContext,
  someone: Person,
  { run, failures, answered, billed }: Awaited<ReturnType<typeof runWith>> & { answered: number; billed: number },
) {
  const { items } = (await call(someone, billing.listLedger, { query: { limit: '100' } })).body
  const { balance } = (await call(someone, billing.getBilling)).body
  t.is(sumOf(items), balance)
  const charges = items.filter(({ runId }) => runId === run.id)
  t.is(charges.filter(({ kind }) => kind === 'failed_step').length, billed)
  t.is(charges.filter(({ kind }) => kind === 'step').length, answered)
  t.is(0 - sumOf(charges), run.credits)
  const failed = failures.reduce((sum, { credits }) => sum + Number(credits ?? 0), 0)
  t.is(run.credits, failed + answered)
  const read = failures.reduce((sum, { inputTokens }) => sum + Number(inputTokens ?? 0), 0)
  t.is(run.inputTokens, read + 2000 * answered)
}

const sumOf = (entries: { credits: number }[]): number => entries.reduce((sum, { credits }) => sum + credits, 0)

for (const row of failureRows) {
  const { title, protocol, passes, isWhole } = row
  const what = `${protocol}${isWhole ? ', not streamed' : ''}: ${title}`
  test(`${what} ${passes ? 'is passed by the next attempt' : 'is not worth another attempt'}`, (t) =>
    fails(t, row, 'once'))
  // One status stands for the others that may pass.
  const isLike = title.startsWith('status') && title !== 'status 529'
  if (passes && !isLike) test(`${what}, four times, makes the run wait`, (t) => fails(t, row, 'always'))
}

test('a provider that nobody listens at is tried four times, and then waited for', async (t) => {
  const { platform } = await stage()
  const { run, failures } = await runWith(await person(platform), 'away', 'waits')
  t.like(run, { status: 'waiting', waitingCause: 'model', credits: 0 })
  t.is(failures.length, 4)
  for (const { message } of failures) t.is(message, 'The AI provider could not be reached.')
})
