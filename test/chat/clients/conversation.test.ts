// @promise chat-clients
import test from 'ava'
import * as approvals from '../../../api/approvals.ts'
import { call } from '../../helpers/client.ts'
import type { Person } from '../../helpers/people.ts'
import type { Sites } from '../../helpers/sites.ts'
import { endsAs, historyOf, type TestSession } from '../stage.ts'
import { kinds } from './kinds.ts'
import { lastWords, openPage, type Page } from './page.ts'
import { sendAndHear, sharedWorld } from './world.ts'

const world = sharedWorld(test)

/** The tools of a message, as the client shows them. */
const toolsOf = ({ chat }: Page) =>
  (chat.lastMessage?.parts ?? []).flatMap((part) => (part.type === 'dynamic-tool' ? [part] : []))

/** What the page and the history have. Of its parts, the client may know more than the history says. */
async function shownAndKept({ chat }: Page, session: TestSession) {
  const { items } = await historyOf(session)
  const of = (all: readonly { id: string; role: string; parts: object[] }[]) =>
    all.map(({ id, role, parts }) => ({ id, role, parts }))
  const kept = of(items)
  const shown = of(chat.messages).map((message, index) => ({
    ...message,
    parts: message.parts.map((part, place) => membersOf(part, kept[index]?.parts[place])),
  }))
  return [shown, kept] as const
}

/** The members of a part that another has, too. */
const membersOf = (part: object, like: object = {}): object =>
  Object.fromEntries(Object.entries(part).filter(([name]) => name in like))

interface AskedFirst {
  approvalId: string
  toolCallId: string
  argumentsHash: string
}

/** What somebody is asked to approve, as the page knows it. */
const askedOn = ({ chat }: Page): AskedFirst => {
  const part = chat.lastMessage?.parts.find(({ type }) => type === 'data-approval')
  return (part as unknown as { data: AskedFirst }).data
}

const decide = async (owner: Person, { approvalId, argumentsHash }: AskedFirst, decision: 'approve' | 'refuse') =>
  (await call(owner, approvals.decideApproval, { params: { approvalId }, body: { decision, argumentsHash } })).body

/** What the site was sent of a call. */
const callsOf = ({ badTools }: Sites, id: string) =>
  badTools.requests().filter(({ idempotencyKey }) => idempotencyKey === `chat:${id}`)

for (const kind of kinds) {
  // @promise chat-history
  test(`a client holds a conversation, whose history is the server's (${kind.title})`, async (t) => {
    const { sessionOf } = await world()
    const session = await sessionOf({ model: 'observant' })
    const page = openPage(kind, session)
    await page.chat.sendMessage({ text: 'Hello' })
    t.regex(lastWords(page), /^#\d+ saw Hello\.$/)
    const [first] = lastWords(page).split(' ')
    await page.chat.sendMessage({ text: 'And now' })
    t.regex(lastWords(page), new RegExp(`^#\\d+ saw Hello, ${first}, And now\\.$`))
    const [second] = lastWords(page).split(' ')
    t.is(page.chat.status, 'ready')
    t.like(page.finishes, [{ finishReason: 'stop', isAbort: false, isError: false }, { finishReason: 'stop' }])
    t.like(page.chat.lastMessage?.metadata, { model: 'observant', credits: 1, sessionId: session.id })
    t.deepEqual(...(await shownAndKept(page, session)))

    const empty = openPage(kind, session)
    await empty.chat.sendMessage({ text: 'Where were we' })
    t.regex(lastWords(empty), new RegExp(`saw Hello, ${first}, And now, ${second}, Where were we\\.$`))
  })

  test(`a client shows the tools of an answer, good and failed ones (${kind.title})`, async (t) => {
    const { toolSession } = await world()
    const { session } = await toolSession({ tools: ['slow_read', 'fail'] })
    const page = openPage(kind, session)
    await page.chat.sendMessage({ text: '[[call slow_read {"seconds":0}]] [[call fail {}]] [[say All done.]]' })
    t.is(page.chat.error, undefined)
    t.like(toolsOf(page), [
      { toolName: 'slow_read', state: 'output-available', input: { seconds: 0 }, output: { waited: 0 } },
      { toolName: 'fail', state: 'output-error', input: {} },
    ])
    t.regex(toolsOf(page)[1]?.errorText ?? '', /on fire/)
    t.regex(lastWords(page), /All done\./)
    t.deepEqual(...(await shownAndKept(page, session)))
    await page.chat.sendMessage({ text: '[[say And again.]]' })
    t.regex(lastWords(page), /And again\./)
    t.is(page.chat.messages.length, 4)
  })

  for (const isLate of [false, true])
    test(`a client resumes an answer whose call was approved, ${isLate ? 'also if it is over by then' : 'and completes the same message'} (${kind.title})`, async (t) => {
      const { toolSession, sites } = await world()
      const { owner, session } = await toolSession({ tools: ['slow_once'], askFirst: ['slow_once'] })
      const page = openPage(kind, session)
      await page.chat.sendMessage({ text: '[[call slow_once {"seconds":0}]] [[say All done.]]' })
      t.is(page.chat.status, 'ready')
      t.is(page.finishes[0]?.finishReason, 'tool-calls')
      t.like(toolsOf(page), [{ toolName: 'slow_once', state: 'input-available', input: { seconds: 0 } }])
      const asked = askedOn(page)
      t.like(asked, { tool: 'slow_once', input: { seconds: 0 }, toolCallId: toolsOf(page)[0]?.toolCallId })
      const messageId = page.chat.lastMessage?.id

      await decide(owner, asked, 'approve')
      if (isLate) await endsAs(session, 'completed')
      await page.chat.resumeStream()
      t.is(page.chat.status, 'ready')
      t.is(page.chat.messages.length, 2)
      t.is(page.chat.lastMessage?.id, messageId)
      t.like(toolsOf(page), [{ state: 'output-available', output: { waited: 0 } }])
      t.is(toolsOf(page).length, 1)
      t.regex(lastWords(page), /All done\./)
      t.is(page.finishes[1]?.finishReason, 'stop')
      t.is(callsOf(sites, asked.toolCallId).length, 1)
      t.deepEqual(...(await shownAndKept(page, session)))
    })

  test(`a client shows that a call was refused, and what the model makes of it (${kind.title})`, async (t) => {
    const { toolSession, sites } = await world()
    const { owner, session } = await toolSession({ tools: ['slow_once'], askFirst: ['slow_once'] })
    const page = openPage(kind, session)
    await page.chat.sendMessage({ text: '[[call slow_once {"seconds":0}]] [[say I did without it.]]' })
    const asked = askedOn(page)
    await decide(owner, asked, 'refuse')
    await page.chat.resumeStream()
    t.like(toolsOf(page), [{ state: 'output-error' }])
    t.regex(lastWords(page), /I did without it\./)
    t.is(callsOf(sites, asked.toolCallId).length, 0)
  })

  test(`a client that is refused an answer gets the error reply, and can say something else (${kind.title})`, async (t) => {
    const { sessionOf } = await world()
    const session = await sessionOf()
    const page = openPage(kind, session)
    await page.chat.sendMessage({ text: '[[fail 500]]' })
    t.is(page.chat.status, 'error')
    t.like(JSON.parse(page.chat.error?.message ?? ''), { code: 'MODEL_ERROR', statusCode: 502 })
    t.is(page.wire[0]?.status, 502)
    await page.chat.sendMessage({ text: '[[say Here I am.]]', messageId: page.chat.messages[0]?.id ?? '' })
    t.is(page.chat.status, 'ready')
    t.regex(lastWords(page), /Here I am\./)
  })

  test(`a client learns that an answer broke off after its first words (${kind.title})`, async (t) => {
    const { sessionOf, talker, talking } = await world()
    const model = talking()
    const session = await sessionOf({ model })
    const page = openPage(kind, session)
    const { sent, speaking } = await sendAndHear(talker, page, { model, text: 'It is. ' })
    speaking.breakOff()
    await sent
    t.is(page.chat.status, 'error')
    t.like(page.data, [{ type: 'data-error', data: { code: 'MODEL_ERROR', statusCode: 502 } }])
    t.like(page.data[0]?.data, { error: page.chat.error?.message })
    await page.wire[0]?.read
    t.deepEqual(page.wire[0]?.parts.slice(-3), ['data-error', 'error', '[DONE]'])
    const { items } = await historyOf(session)
    t.like(items[1], { status: 'failed', parts: [], error: { code: 'MODEL_ERROR', statusCode: 502 } })
  })
}
