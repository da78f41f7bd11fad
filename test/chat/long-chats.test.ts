// @promise chat-bounds
import test from 'ava'
import { newId } from '../../src/ids.ts'
import { chatLeftOutSentence } from '../../src/models/prompt-format.ts'
import { startChatServer } from '../helpers/chat-server.ts'
import { connectBadTools, customer, person } from '../helpers/people.ts'
import { openStage } from '../helpers/runs.ts'
import { modelsEnvironment } from '../models/stage.ts'
import { historyOf, openSession, send } from './stage.ts'

test('of a session with many long results, a process reads only the last ones', async (t) => {
  const provider = await startChatServer(() => ({ text: 'Hello.' }))
  t.teardown(provider.close)
  const models = [{ id: 'm', price: { input: 1, output: 1 } }]
  const described = { name: 'recorded', kind: 'openai-compatible', baseUrl: provider.url, models }
  const { platform } = await openStage(t, { worker: false, env: modelsEnvironment(t, [described]) })
  const session = await openSession(await person(platform))
  const say = async (text: string) => t.is((await send(session, { text })).status, 200)
  for (const text of ['The first words.', 'The second words.', 'The third words.']) await say(text)
  const answers = (await historyOf(session)).items.filter(({ role }) => role === 'assistant')
  const common = { step: 1, plannedAt: new Date(), effect: 'read', status: 'succeeded', name: 'read', arguments: '{}' }
  const result = JSON.stringify({ text: 'x'.repeat(1_000_000) })
  const counts = [1, 10, 10]
  const calls = answers.flatMap(({ id: answerId }, index) =>
    Array.from({ length: counts[index] ?? 0 }, (_, position) => ({
      ...common,
      id: newId(),
      answerId,
      position,
      result,
    })),
  )
  for (const row of calls) await platform.services.database('chat_tool_calls').insert(row)
  await say('The last words.')
  const prompt = provider.texts.at(-1) ?? ''
  t.deepEqual(
    ['first', 'second', 'third', 'last'].map((which) => prompt.includes(`The ${which} words.`)),
    [false, false, true, true],
  )
  t.true(prompt.includes(chatLeftOutSentence))
})

test('an answer with more results than the model can be shown goes on, with the oldest of them shortened', async (t) => {
  const textOfCall = (number: number) => `Result ${number}. ${'word '.repeat(1250)}The end of ${number}.`
  const provider = await startChatServer(({ messages }) => {
    const done = messages.filter(({ role }) => role === 'tool').length
    const call = { name: 'echo_text', arguments: JSON.stringify({ text: textOfCall(done + 1) }) }
    return done < 4 ? { calls: [call] } : { text: 'That is all.' }
  })
  t.teardown(provider.close)
  const models = [{ id: 'm', contextTokens: 15_000, maxOutputTokens: 1000, price: { input: 1, output: 1 } }]
  const described = { name: 'small', kind: 'openai-compatible', baseUrl: provider.url, models }
  const { platform, sites } = await openStage(t, { worker: false, env: modelsEnvironment(t, [described]) })
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)
  const session = await openSession(someone, { sites: [{ vaultEntryId, tools: ['echo_text'] }] })
  const answered = await send(session, { text: 'Read it all.' })
  t.is(answered.status, 200)
  t.regex(await answered.text(), /That is all\./)
  const prompt = JSON.parse(provider.texts.at(-1) ?? '') as { messages: { role: string; content: unknown }[] }
  const results = prompt.messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content))
  t.true(results[0]?.includes('Result 1.') && !results[0].includes('The end of 1.'))
  t.true(results[3]?.includes('The end of 4.'))
})
