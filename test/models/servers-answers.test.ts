import test, { type ExecutionContext } from 'ava'
import pLimit from 'p-limit'
import * as billing from '../../api/billing.ts'
import { startChangingSite, toolOf } from '../helpers/changing-site.ts'
import { call } from '../helpers/client.ts'
import { connectChanging } from '../helpers/manifests.ts'
import { customer, person } from '../helpers/people.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { startFailingProvider, whole, events, type Act } from './failing-provider.ts'
import { moreOddAnswers } from './more-odd-answers.ts'
import { oddAnswers, type OddAnswer } from './odd-answers.ts'
import { openModels } from './stage.ts'
import { runOnce } from './stage-of-provider.ts'
import { chat } from './wire.ts'

/*
 * What servers answer that are only compatible: each answer in one piece and streamed, to a run, over HTTP.
 */

type Form = 'whole' | 'stream'

const all = [...oddAnswers, ...moreOddAnswers]
const rows = all.flatMap((answer, index) =>
  (['whole', 'stream'] as const)
    .filter((form) => answer[form] !== undefined)
    .map((form) => ({ answer, form, model: `${form}-${index}` })),
)

/** Answers of the list that state no usage, and are read by its estimate. */
const unstated = new Set(['usage absent', 'usage null', 'id, object, created, model and index absent'])

/** Of the list, what says that the prompt is too long: that is fitted, and asked for once more. */
const tooLong = new Set(['a flat error inside 200'])

const stage = forWholeFile(test, 'answers of servers', async (t) => {
  const provider = await startFailingProvider(t)
  const site = await startChangingSite(t)
  site.change({ tools: [toolOf('find', { input_schema: { type: 'object' } })] })
  const models = rows.map(({ answer, form, model }) => ({
    id: model,
    stream: form === 'stream',
    estimateUsage: unstated.has(answer.name),
    price: { input: 1, output: 2 },
  }))
  const shared = { name: 'compatible', kind: 'openai-compatible', baseUrl: provider.url, apiKeyEnv: 'THE_KEY', models }
  const more = { allow: site.allow, env: { OUTGOING_PER_MINUTE: '1000' } }
  return { provider, site, ...(await openModels(t, [shared], more)) }
})

/** Serves an answer of the list as it is. */
function serving(answer: OddAnswer, form: Form): Act {
  const headers = form === 'whole' ? answer.whole?.headers : answer.streamHeaders
  const usual = form === 'whole' ? 'application/json' : 'text/event-stream'
  const code = (form === 'whole' && answer.whole?.status) || 200
  const body = form === 'whole' ? answer.whole?.body : answer.stream
  return (response) => void response.writeHead(code, { 'content-type': usual, ...headers }).end(body)
}

const good = (form: Form): Act =>
  form === 'whole' ? whole(chat.whole({ content: 'Good.' })) : events(chat.all('Good.'))

/** So many at a time: all at once would ask more of one platform than its database has connections for. */
const inTurn = pLimit(10)

/** A run whose model answers so, and well from then on. */
async function runWith({ answer, form, model }: (typeof rows)[number]) {
  const { provider, platform, site } = await stage()
  const hasCalls = answer.expect.calls !== undefined || answer.expect.refused === 'arguments'
  const someone = hasCalls ? await customer(platform) : await person(platform)
  const sites = hasCalls ? [{ vaultEntryId: (await connectChanging(someone, site)).entryId }] : []
  provider.play(model, [serving(answer, form), good(form)])
  const seen = await runOnce(someone, { model, sites }, 150)
  const { items } = (await call(someone, billing.listLedger, { query: { limit: '100' } })).body
  const charged = items.filter(({ runId }) => runId === seen.run.id).map(({ kind }) => kind)
  return { ...seen, asked: provider.requestsOf(model).length, charged }
}

type Seen = Awaited<ReturnType<typeof runWith>>

/** Whether what is said of the run names a member or a word, in one spelling or another. */
const names = ({ timeline, run }: Seen, name: string): boolean =>
  JSON.stringify([timeline, run]).toLowerCase().replaceAll('-', '_').includes(name.toLowerCase())

function check(t: ExecutionContext, seen: Seen, { name, expect, note }: OddAnswer): void {
  const { run, steps, failures, outcomes, asked, charged } = seen
  if (tooLong.has(name)) {
    t.like(run, { status: 'completed', answer: 'Good.', steps: 1 })
    t.is(asked, 2)
    return
  }
  const twice = { status: 'completed', answer: 'Good.', steps: 2 }
  t.is(charged.length, steps.length + failures.filter(({ credits }) => credits !== undefined).length)
  t.is(asked, steps.length + failures.length, 'each answer was asked for once')
  if (expect.truncated) {
    t.like(run, { ...twice, toolCalls: 0 })
    t.like(steps[0], { outcome: 'truncated', text: expect.text ?? '' })
  } else if (expect.calls) {
    t.like(run, twice)
    const made = outcomes.map(({ status, arguments: text }) => [status, JSON.parse(String(text)) as unknown])
    const wanted = expect.calls.map(({ arguments: given }) => ['succeeded', given])
    t.deepEqual(made.toSorted(byText), wanted.toSorted(byText))
  } else if (expect.text !== undefined) {
    t.like(run, { status: 'completed', answer: expect.text, steps: 1 })
    t.is(failures.length, 0)
  } else if (expect.retry) {
    t.like(run, { status: 'completed', answer: 'Good.', steps: 1 })
    t.is(failures.length, 1)
  } else if (expect.permanent) {
    t.like(run, { status: 'failed', reason: 'MODEL_ERROR' })
    t.is(failures.length, 1)
    if (note && /^\w+$/.test(note)) t.true(String(failures[0]?.['message']).includes(note), run.error ?? '')
  } else checkRefused(t, seen, expect.refused ?? '')
}

const byText = (one: unknown, other: unknown): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)

/** The model is told once of what it can mend; what it will not say is asked for once. */
function checkRefused(t: ExecutionContext, seen: Seen, member: string): void {
  const { run, steps, outcomes } = seen
  t.true(names(seen, member), `${member} is named`)
  if (member === 'arguments') {
    t.like(run, { status: 'completed', steps: 2 })
    t.like(outcomes, [{ status: 'failed', attempts: 0 }])
  } else if (steps[0]?.['outcome'] === 'empty') t.like(run, { status: 'completed', steps: 2 })
  else {
    t.like(run, { status: 'failed', reason: 'MODEL_ERROR', steps: 1 })
    t.like(steps, [{ outcome: 'refused' }])
  }
}

for (const row of rows) {
  test(`${row.answer.name} (${row.form === 'whole' ? 'in one piece' : 'streamed'})`, (t) =>
    inTurn(async () => check(t, await runWith(row), row.answer)))
}
