// @promise openapi
import test from 'ava'
import { transcripts } from '../../api/openapi/chat-stream.ts'
import { resumeChatStream, sendChatMessage } from '../../api/chat.ts'
import { meaningsOfParts } from '../../api/schemas/chat-part.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import { violations, document, inWords, responseOf } from '../helpers/openapi-schemas.ts'
import { connectBadTools, customer } from '../helpers/people.ts'
import { openStage } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { historyOf, openSession, partsOf, send, stop, underWay, type TestSession } from './stage.ts'

const stage = forWholeFile(test, 'published chats', (t) =>
  openStage(t, { worker: false, env: { CHAT_TIMEOUT_SECONDS: '5' } }),
)

const schema = { $ref: '#/components/schemas/ChatPart' }

const wrongIn = (parts: readonly object[]): string[] =>
  parts.flatMap((part) => {
    const errors = violations(schema, part)
    return errors.length === 0 ? [] : [`${JSON.stringify(part)}: ${inWords(errors)}`]
  })

const stream = (session: TestSession, text: string) => send(session, { text, stream: true })

test('every part that is streamed is as the OpenAPI document says, and there is none of its parts that is never streamed', async (t) => {
  const { platform, sites } = await stage()
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)
  const tools = { vaultEntryId, tools: ['slow_read', 'fail'] }
  const free = await openSession(someone, { sites: [tools] })
  const asking = await openSession(someone, { sites: [{ ...tools, askFirst: ['slow_read'] }] })
  const stopped = await openSession(someone)

  const called = await stream(free, '[[call slow_read {"seconds":0}]] [[call fail {}]] [[then]] [[say Done.]]')
  const asked = await stream(asking, '[[call slow_read {"seconds":0}]]')
  const late = await stream(free, '[[call slow_read {"seconds":0}]] [[then]] [[sleep 20]]')
  const beingStopped = stream(stopped, '[[sleep 4]]')
  await stop(stopped, (await underWay(stopped)).id)

  const answers = await Promise.all([called, asked, late, await beingStopped].map((one) => partsOf(t, one)))
  const parts = answers.flat()
  t.deepEqual(wrongIn(parts), [])
  const types = [...new Set(parts.map(({ type }) => type))].toSorted()
  t.deepEqual(types, Object.keys(meaningsOfParts).toSorted() as typeof types)
})

test('a streamed answer has the headers that the OpenAPI document names, and the one to resume it by only if it can be', async (t) => {
  const { platform } = await stage()
  const someone = await customer(platform)
  const [kept, left] = [await openSession(someone, { onDisconnect: 'continue' }), await openSession(someone)]
  const answers = [await stream(kept, '[[say Hello.]]'), await stream(left, '[[say Hello.]]')]
  const [resumable, plain] = answers.map(({ headers }) => [
    headers.get('x-vercel-ai-ui-message-stream'),
    headers.get('x-resumable-stream-id'),
  ])
  const [, { id } = { id: '' }] = (await historyOf(kept)).items
  t.deepEqual(resumable, ['v1', id])
  t.deepEqual(plain, ['v1', null])
  for (const answer of answers) await partsOf(t, answer)
  for (const route of [sendChatMessage, resumeChatStream] as AnyRoute[]) {
    const { headers, content } = responseOf(route, 200) as { headers: object; content: object }
    t.deepEqual(Object.keys(headers).slice(1), ['X-Vercel-AI-UI-Message-Stream', 'X-Resumable-Stream-Id'])
    t.true('text/event-stream' in content)
  }
})

test('a message is answered whole for a client that asks for JSON, and the log names the session and the answer', async (t) => {
  const { platform } = await stage()
  const session = await openSession(await customer(platform))
  const response = await send(session, { text: '[[say Hello there.]]' })
  t.is(response.status, 200)
  const answer = (await response.json()) as { id: string }
  t.like(answer, { role: 'assistant', status: 'completed', parts: [{ type: 'step-start' }, { type: 'text' }] })
  const lines = platform.logs.map((line) => JSON.parse(line) as Record<string, unknown>)
  const line = lines.find(({ msg, sessionId }) => msg === 'request' && sessionId === session.id)
  t.like(line, { route: '/chat/messages', answerId: answer.id })
})

test('the streams that the OpenAPI document shows are made of parts that it describes', (t) => {
  t.deepEqual(Object.values(transcripts).flatMap(wrongIn), [])
  for (const name of Object.keys(transcripts))
    t.regex(String(document.components.examples[name]?.value), /^data: \{"type":"start".*\n\ndata: \[DONE\]\n\n$/s)
  t.regex(wrongIn([{ type: 'text-delta', id: 'step-1', delta: 'Hello.', more: 1 }]).join(), /more is not declared/)
  t.is(wrongIn([{ type: 'odd' }]).length, 1)
})
