// @promise chat-ends
import test from 'ava'
import * as approvals from '../../api/approvals.ts'
import { call } from '../helpers/client.ts'
import { connectBadTools, customer, person } from '../helpers/people.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { endsAs, openSession, partsOf, send, textOf, typesOf, underWay } from './stage.ts'

const platformOf = sharedPlatform(test, 'idle')
const stage = forWholeFile(test, 'chats', async (t) => ({
  platform: await platformOf(),
  sites: await startSites(t),
}))

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
  const answer = (await response.json()) as { id: string }
  t.like(answer, { role: 'assistant', status: 'completed', parts: [{ type: 'step-start' }, { type: 'text' }] })
  const lines = platform.logs.map((line) => JSON.parse(line) as Record<string, unknown>)
  const line = lines.find(({ msg, sessionId }) => msg === 'request' && sessionId === session.id)
  t.like(line, { route: '/chat/messages', answerId: answer.id }, 'the log names the session and the answer')
})

// @promise chat-approvals
test('a tool that asks first is called with what was shown, once somebody has approved it, and the answer goes on', async (t) => {
  const { platform, sites } = await stage()
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)
  const session = await openSession(someone, {
    sites: [{ vaultEntryId, tools: ['slow_read'], askFirst: ['slow_read'] }],
  })
  const parts = await partsOf(
    t,
    await send(session, { text: '[[call slow_read {"seconds":0}]] [[say All done.]]', stream: true }),
  )
  const asked = parts.find((part) => part.type === 'data-approval')
  t.like(parts.at(-1), { type: 'finish', finishReason: 'tool-calls' })
  t.like(asked?.data, { tool: 'slow_read', input: { seconds: 0 } })
  t.false(typesOf(parts).includes('tool-output-available'))
  const params = { approvalId: String(asked?.id) }
  await call(someone, approvals.decideApproval, { params, body: { decision: 'approve' } })
  const answer = await endsAs(session, 'completed')
  t.like(
    answer.parts.filter(({ type }) => type === 'dynamic-tool'),
    [{ state: 'output-available' }],
  )
  t.regex(JSON.stringify(answer.parts), /All done\./)
})

// @promise chat-readers
test('an answer whose reader is gone is given up within a second, and says so afterwards', async (t) => {
  const { platform } = await stage()
  const session = await openSession(await person(platform))
  const leaving = new AbortController()
  const sent = send(session, { text: '[[sleep 30]]', stream: true }, { signal: leaving.signal })
  await underWay(session)
  leaving.abort()
  await t.throwsAsync(sent)
  const answer = await endsAs(session, 'failed')
  t.like(answer, { parts: [], error: { code: 'STREAM_ABORTED', statusCode: 499 } })
})
