// @promise chat-bounds
import test from 'ava'
import { newId } from '../../src/ids.ts'
import { chatLeftOutSentence } from '../../src/models/prompt-format.ts'
import { connectBadTools, customer, person } from '../helpers/people.ts'
import { events, type Act } from '../models/failing-provider.ts'
import { sharedModels } from '../models/shared-models.ts'
import { chat } from '../models/wire.ts'
import { historyOf, openSession, send } from './stage.ts'

const stage = sharedModels(test, { chat: [{ id: 'short-sighted', contextTokens: 15_000, maxOutputTokens: 1000 }] })

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
      await database('chat_tool_calls').insert({
        ...common,
        id: newId(),
        answerId: answers[index]?.id,
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

test('an answer with more results than the model can be shown goes on, with the oldest of them shortened', async (t) => {
  const { platform, provider, sites } = await stage()
  const textOfCall = (number: number) => `Result ${number}. ${'word '.repeat(1250)}The end of ${number}.`
  const toolsIn = (body: unknown) =>
    (body as { messages: { role: string; content: unknown }[] }).messages.filter(({ role }) => role === 'tool')
  provider.play('short-sighted', [
    counting((body) => {
      const done = toolsIn(body).length
      const call = { id: `c${done}`, name: 'echo_text', arguments: JSON.stringify({ text: textOfCall(done + 1) }) }
      return done < 4
        ? [...chat.calls([call]), ...chat.end('tool_calls')]
        : [...chat.begin('That is all.'), ...chat.end()]
    }),
  ])
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)
  const session = await openSession(someone, {
    model: 'short-sighted',
    sites: [{ vaultEntryId, tools: ['echo_text'] }],
  })
  const answered = await send(session, { text: 'Read it all.' })
  t.is(answered.status, 200)
  t.regex(await answered.text(), /That is all\./)
  const results = toolsIn(provider.requestsOf('short-sighted').at(-1)?.body).map(({ content }) =>
    JSON.stringify(content),
  )
  t.true(results[0]?.includes('Result 1.') && !results[0].includes('The end of 1.'))
  t.true(results[3]?.includes('The end of 4.'))
})
