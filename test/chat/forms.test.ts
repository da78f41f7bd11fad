// @promise chat-approvals
import test, { type ExecutionContext } from 'ava'
import type { ChatPart } from '../../src/chat/parts.ts'
import { approvalsOf, decide } from '../helpers/approvals.ts'
import { withAskingTools } from '../helpers/forms.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { endsAs, openSession, partsOf, send, typesOf } from './stage.ts'

const platformOf = sharedPlatform(test, 'idle')

/** An answer that waits because a tool asks in the middle of its call. */
async function asking(t: ExecutionContext, toolName: string) {
  const tools = await withAskingTools(t, await platformOf())
  const { someone, vaultEntryId } = tools
  const session = await openSession(someone, { sites: [{ vaultEntryId, askFirst: [] }] })
  const text = `[[call ${toolName}]] [[then]] [[say All done.]]`
  const parts = await partsOf(t, await send(session, { text, stream: true }))
  return { ...tools, session, parts }
}

const approvalIn = (parts: ChatPart[]) => {
  const [part, ...others] = parts.flatMap((part) => (part.type === 'data-approval' ? [part] : []))
  if (!part || others.length > 0) throw new Error('one approval was expected')
  return part
}

test('an answer ends with the form of a tool, and continues with what somebody has given', async (t) => {
  const { server, someone, session, parts, ordered } = await asking(t, 'order')
  t.deepEqual(typesOf(parts).slice(-3), ['finish-step', 'data-approval', 'finish'])
  const { id, data } = approvalIn(parts)
  t.like(data, { tool: 'order', site: server.url, form: { message: 'What do you order?' } })
  t.is((await decide(someone, id, 'approve', { input: { size: 'm' } })).body.status, 'approved')
  const answer = await endsAs(session, 'completed')
  t.deepEqual(ordered, [{ size: 'm', amount: 1 }])
  t.true(JSON.stringify(answer.parts).includes('Ordered.'))
})

test('a message that is sent instead of an answer to a form ends the call without a further request', async (t) => {
  const { someone, session, parts, sent } = await asking(t, 'order')
  await partsOf(t, await send(session, { text: '[[say Something else.]]', stream: true }))
  const answer = await endsAs(session, 'completed')
  t.regex(JSON.stringify(answer.parts), /sent another message instead of answering/)
  t.like(await approvalsOf(someone), { 0: { id: approvalIn(parts).id, status: 'withdrawn' }, length: 1 })
  t.is(sent().length, 1)
})
