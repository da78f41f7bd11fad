// @promise crashes
import test, { type ExecutionContext } from 'ava'
import { createChatCalls } from '../../src/chat/calls.ts'
import { ChatAnswer } from '../../src/chat/chat-answer.ts'
import { newId } from '../../src/ids.ts'
import { ToolCall } from '../../src/tools/tool-call.ts'
import { eventually } from '../helpers/eventually.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { completed, done, withTaskServer } from '../helpers/tasks.ts'
import { endsAs, openSession, partsOf, send } from './stage.ts'

const platformOf = sharedPlatform(test, 'idle')

/** An answer whose only call is one that its site works on, and what its reader gets. */
async function working(t: ExecutionContext, platform: Platform) {
  const { server, someone, vaultEntryId } = await withTaskServer(t, platform)
  const session = await openSession(someone, { sites: [{ vaultEntryId, askFirst: [] }] })
  const text = '[[call work]] [[then]] [[say All said.]]'
  const parts = partsOf(t, await send(session, { text, stream: true }))
  await eventually(30, 'the site is asked', () => server.asked('tasks/get').length > 0 || undefined)
  return { server, session, parts }
}

test('an answer waits for a call that its site works on', async (t) => {
  const { server, session, parts } = await working(t, await platformOf())
  server.said = done
  t.regex(JSON.stringify(await parts), /All done.*All said/)
  await endsAs(session, 'completed')
  t.is(server.calls().length, 1)
})

test('a call that its site still works on when the answer has no time left is in doubt, and the site is told', async (t) => {
  const platform = await startPlatform(t, { env: { CHAT_TIMEOUT_SECONDS: '6' } })
  const { server, session } = await working(t, platform)
  const { id } = await endsAs(session, 'failed')
  const call = await platform.services.database('tool_calls').where({ subjectId: id }).first('status', 'result')
  t.like(call, { status: 'unknown' })
  await eventually(30, 'the task is cancelled', () => server.asked('tasks/cancel').length > 0 || undefined)
  t.is(server.asked('tasks/cancel').length, 1)
})

test('a process that takes an answer up asks what has become of its call, and does not make it again', async (t) => {
  const platform = await platformOf()
  const { services } = platform
  const { server, session, parts } = await working(t, platform)
  server.said = done
  await parts
  const { id: answerId } = await endsAs(session, 'completed')
  // As its process has left it.
  const writer = newId()
  await ChatAnswer.query(services.database)
    .findOne({ id: answerId })
    .patch({ status: 'running', endedAt: null, writer })
  const calls = ToolCall.query(services.database).findOne({ subjectId: answerId }).throwIfNotFound()
  await calls.clone().patch({ status: 'started', result: null, endedAt: null })
  server.said = completed({ content: [], structuredContent: { sum: 9 } })
  const { ownerId } = await ChatAnswer.query(services.database).findOne({ id: answerId }).throwIfNotFound()
  const calling = { ownerId, writer, secrets: [], signal: new AbortController().signal }
  await createChatCalls(services).perform(await calls.clone(), calling)
  t.like(await calls.clone(), { status: 'succeeded', attempts: 1, result: '{"sum":9}' })
  t.is(server.calls().length, 1)
})

test('a message that is sent instead of an answer to a task leaves the call in doubt, and the site is told', async (t) => {
  const platform = await platformOf()
  const { server, session, parts } = await working(t, platform)
  const requestedSchema = { type: 'object', properties: { size: { type: 'string' } }, required: ['size'] }
  const params = { mode: 'form', message: 'Which size?', requestedSchema }
  server.said = { status: 'input_required', inputRequests: { first: { method: 'elicitation/create', params } } }
  await parts
  const { id } = await endsAs(session, 'waiting')
  await partsOf(t, await send(session, { text: '[[say Something else.]]', stream: true }))
  const call = await platform.services.database('tool_calls').where({ subjectId: id }).first('status', 'result')
  t.is(call?.status, 'unknown')
  t.regex(String(call?.result), /another message instead of answering/)
  await eventually(30, 'the task is cancelled', () => server.asked('tasks/cancel').length > 0 || undefined)
  t.is(server.asked('tasks/cancel').length, 1)
})
