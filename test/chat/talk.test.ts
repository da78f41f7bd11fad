import test from 'ava'
import { person } from '../helpers/people.ts'
import { openStage } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { openSession, partsOf, send, textOf, typesOf } from './stage.ts'

const stage = forWholeFile(test, 'chats', (t) => openStage(t, { worker: false }))

test('a message is answered as a stream that the clients of the AI SDK take', async (t) => {
  const { platform } = await stage()
  const session = await openSession(await person(platform))
  const response = await send(session, { text: '[[say Hello there.]]', stream: true })
  t.is(response.status, 200, await response.clone().text())
  t.is(response.headers.get('x-vercel-ai-ui-message-stream'), 'v1')
  const parts = await partsOf(t, response)
  t.deepEqual(
    [...new Set(typesOf(parts))],
    ['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish'],
  )
  t.regex(textOf(parts), /Hello there\./)
  t.like(parts.at(-1), { finishReason: 'stop', messageMetadata: { credits: 1, model: 'demo' } })
})

test('a message is answered whole for a client that asks for JSON', async (t) => {
  const { platform } = await stage()
  const session = await openSession(await person(platform))
  const response = await send(session, { text: '[[say Hello there.]]' })
  t.is(response.status, 200)
  t.like(await response.json(), {
    role: 'assistant',
    status: 'completed',
    parts: [{ type: 'step-start' }, { type: 'text' }],
  })
})
