import test from 'ava'
import { newId } from '../../src/ids.ts'
import { chatLeftOutSentence } from '../../src/models/prompt-format.ts'
import { startChatServer } from '../helpers/chat-server.ts'
import { person } from '../helpers/people.ts'
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
