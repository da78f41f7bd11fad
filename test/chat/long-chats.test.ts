// @promise chat-bounds
import test, { type ExecutionContext } from 'ava'
import { newId } from '../../src/ids.ts'
import { chatLeftOutSentence } from '../../src/models/prompt-format.ts'
import { person } from '../helpers/people.ts'
import { events, status, type Act } from '../models/failing-provider.ts'
import { sharedModels } from '../models/shared-models.ts'
import { chat } from '../models/wire.ts'
import { historyOf, openSession, partsOf, send, textOf } from './stage.ts'

const names = ['outgrown-by-chat', 'summarizing-chat', 'not-summarizing-chat']
const [contextTokens, maxOutputTokens] = [15_000, 1000]
const stage = sharedModels(test, { chat: names.map((id) => ({ id, contextTokens, maxOutputTokens })) })

/** Answers as told, and counts a token for four bytes. */
const counting =
  (say: (body: Record<string, unknown>) => object[]): Act =>
  (response, request) => {
    const tokens = Math.ceil(Buffer.byteLength(JSON.stringify(request.body)) / 4)
    return events([...say(request.body), ...chat.usage(tokens), ...chat.done()])(response, request)
  }

test('of a session with many long results, a process reads only the last ones', async (t) => {
  const { platform, provider, play } = await stage()
  const { database } = platform.services
  const model = play([counting(() => [...chat.begin('Hello.'), ...chat.end()])])
  const session = await openSession(await person(platform), { model })
  const say = async (text: string) => t.is((await send(session, { text })).status, 200)
  for (const text of ['The first words.', 'The second words.', 'The third words.']) await say(text)
  const answers = (await historyOf(session)).items.filter(({ role }) => role === 'assistant')
  const common = { step: 1, plannedAt: new Date(), effect: 'read', status: 'succeeded', name: 'read', arguments: '{}' }
  const result = JSON.stringify({ text: 'x'.repeat(1_000_000) })
  for (const [index, count] of [1, 10, 10].entries())
    for (let position = 0; position < count; position += 1)
      await database('tool_calls').insert({
        ...common,
        id: newId(),
        subjectId: answers[index]?.id,
        position,
        result,
      })
  await say('The last words.')
  const prompt = JSON.stringify(provider.requestsOf(model).at(-1)?.body)
  t.deepEqual(
    ['first', 'second', 'third', 'last'].map((which) => prompt.includes(`The ${which} words.`)),
    [false, false, true, true],
  )
  t.true(prompt.includes(chatLeftOutSentence))
})

const isSummary = (body: unknown): boolean => /Write a summary of/.test(JSON.stringify(body))

/** Sends so many long messages; the model answers each, and a summary as told. Returns what the model was asked. */
async function talkAtLength(
  t: ExecutionContext,
  model: string,
  { body = {}, summary }: { body?: object; summary?: Act },
) {
  const { platform, provider } = await stage()
  const answer = counting((asked) => [
    ...chat.begin(
      isSummary(asked)
        ? `SUMMARY ${provider.requestsOf(model).filter((one) => isSummary(one.body)).length}.`
        : 'Noted.',
    ),
    ...chat.end(),
  ])
  const act: Act = (response, request) => (summary && isSummary(request.body) ? summary : answer)(response, request)
  provider.play(model, [act])
  const someone = await person(platform)
  const session = await openSession(someone, { model, ...body })
  for (let number = 1; number <= 16; number += 1) {
    const answered = await send(session, {
      text: `Fact ${number}. ${'word '.repeat(1200)}End of ${number}.`,
      stream: true,
    })
    t.is(textOf(await partsOf(t, answered)), 'Noted.')
  }
  const asked = provider.requestsOf(model).map(({ body: request }) => JSON.stringify(request))
  for (const request of asked) t.true(Buffer.byteLength(request) / 4 <= contextTokens - maxOutputTokens)
  return { platform, session, asked, last: asked.at(-1) ?? '' }
}

test('a conversation longer than its window goes on without its oldest messages, and is cut rarely', async (t) => {
  const { session, asked, last } = await talkAtLength(t, 'outgrown-by-chat', {})
  t.is(asked.length, 16)
  t.true(last.includes(chatLeftOutSentence) && last.includes('End of 16.') && !last.includes('Fact 1.'))
  const beginnings = new Set(asked.map((request) => /Fact \d+\./.exec(request)?.[0]))
  t.true(beginnings.size > 1 && beginnings.size < 6, `it begins in ${beginnings.size} ways`)
  t.is((await historyOf(session)).items.length, 32)
})

test('a session that wants it gets a summary of what is left out, as a step of its own that is charged', async (t) => {
  const { platform, session, asked, last } = await talkAtLength(t, 'summarizing-chat', { body: { summarizes: true } })
  const requests = asked.filter(isSummary)
  t.true(requests.length > 1)
  t.regex(requests[0] ?? '', /Fact 1\./)
  t.true(requests[1]?.includes('SUMMARY 1.'), 'a summary of a summary')
  t.true(last.includes(`SUMMARY ${requests.length}.`) && !last.includes('SUMMARY 1.'))
  const { database } = platform.services
  const answers = database('chat_answers').where({ sessionId: session.id }).select('id')
  const steps = await database('steps').whereIn('subjectId', answers).where({ outcome: 'summary' })
  t.is(steps.length, requests.length)
  t.true(steps.every(({ credits }) => credits > 0))
  const charged = await database('ledger_entries').where({ kind: 'chat_step' }).whereIn('answerId', answers)
  t.is(charged.length, asked.length)
  t.false(JSON.stringify(await historyOf(session)).includes('SUMMARY'))
})

test('a chat whose model cannot summarize goes on without a summary', async (t) => {
  const { asked, last } = await talkAtLength(t, 'not-summarizing-chat', {
    body: { summarizes: true },
    summary: status(400),
  })
  const requests = asked.filter(isSummary)
  t.true(requests.length > 0 && requests.length < 6, `${requests.length} summaries were asked for`)
  t.true(last.includes(chatLeftOutSentence) && !last.includes('SUMMARY'))
})
