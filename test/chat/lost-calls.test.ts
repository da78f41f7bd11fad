import test from 'ava'
import { ChatAnswer } from '../../src/chat/chat-answer.ts'
import { createChatCalls } from '../../src/chat/calls.ts'
import { newId } from '../../src/ids.ts'
import { ToolCall } from '../../src/tools/tool-call.ts'
import { sharedWorld } from './clients/world.ts'
import { send } from './stage.ts'

/* A process that takes an answer up makes its calls again only where that is safe. */

const world = sharedWorld(test)
type World = Awaited<ReturnType<typeof world>>

/** A call as it was when the process that writes its answer stopped, and what another process makes of it. */
async function taken({ platform, sites, toolSession }: World, tool: string, state: Partial<ToolCall>) {
  const { session } = await toolSession({ tools: [tool] })
  await (await send(session, { text: `[[call ${tool} {"seconds":0}]]` })).text()
  const { services } = platform
  const answers = ChatAnswer.query(services.database).findOne({ sessionId: session.id }).throwIfNotFound()
  const { id: answerId, ownerId } = await answers.clone()
  const writer = newId()
  await answers.clone().patch({ status: 'running', endedAt: null, writer })
  const calls = ToolCall.query(services.database).findOne({ subjectId: answerId }).throwIfNotFound()
  const isOpen = { httpStatus: null, result: null, endedAt: null, refusedAttempts: 0 }
  await calls.clone().patch({ ...isOpen, ...state })
  const seen = await calls.clone()
  const read = () => calls.clone()
  const sent = () =>
    sites.badTools.requests().filter(({ idempotencyKey }) => idempotencyKey === `chat:${seen.id}`).length
  const before = sent()
  return {
    read,
    change: (changes: Partial<ToolCall>) => calls.clone().patch(changes),
    perform: (by = writer) =>
      createChatCalls(services).perform(seen, {
        ownerId,
        writer: by,
        secrets: [],
        signal: new AbortController().signal,
      }),
    sentAgain: () => sent() - before,
    close: () => answers.clone().patch({ status: 'stopped', endedAt: new Date(), writer: null }),
  }
}

const lost = { status: 'started', attempts: 1 } as const
const refused = { status: 'started', attempts: 1, refusedAttempts: 1, refusedGeneration: 0 } as const

const rows: [tool: string, state: Partial<ToolCall>, sentAgain: number, after: Partial<ToolCall>][] = [
  ['slow_read', lost, 1, { status: 'succeeded', attempts: 2 }],
  ['slow_idempotent', lost, 1, { status: 'succeeded', attempts: 2 }],
  ['slow_once', lost, 0, { status: 'unknown', attempts: 1 }],
  ['slow_once', refused, 1, { status: 'succeeded', attempts: 2 }],
  ['slow_once', { status: 'planned', attempts: 0 }, 1, { status: 'succeeded', attempts: 1 }],
  ['slow_read', { ...lost, attempts: 3 }, 0, { status: 'failed', attempts: 3 }],
  ['slow_idempotent', { ...lost, attempts: 3 }, 0, { status: 'unknown', attempts: 3 }],
]

test('a call that was under way when its process stopped is made again under its key, unless that could do harm', async (t) => {
  const shared = await world()
  for (const [tool, state, sentAgain, after] of rows) {
    const call = await taken(shared, tool, state)
    await call.perform()
    const name = `${tool} ${JSON.stringify(state)}`
    t.like(await call.read(), after, name)
    t.is(call.sentAgain(), sentAgain, name)
    await call.close()
  }
})

test('a process that does not write the answer any more makes none of its calls, and ends none', async (t) => {
  const shared = await world()
  for (const [tool, state] of rows) {
    const call = await taken(shared, tool, state)
    await call.perform(newId())
    t.like(await call.read(), { ...state, result: null }, tool)
    t.is(call.sentAgain(), 0, tool)
    await call.close()
  }
})

test('a call that another process has begun, or has the outcome of, is left to it', async (t) => {
  const shared = await world()
  for (const state of [
    { ...lost, attempts: 2 },
    { status: 'succeeded', attempts: 1, result: '{}' },
  ] as const) {
    const call = await taken(shared, 'slow_idempotent', lost)
    await call.change(state)
    await call.perform()
    t.like(await call.read(), state)
    t.is(call.sentAgain(), 0)
    await call.close()
  }
})

test('a call that may have taken effect stays in doubt if its site is not called again', async (t) => {
  const call = await taken(await world(), 'slow_idempotent', { ...lost, vaultEntryId: newId() })
  await call.perform()
  t.like(await call.read(), { status: 'unknown', attempts: 1 })
  await call.close()
})
