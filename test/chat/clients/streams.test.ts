// @promise chat-clients
import test from 'ava'
import { eventually } from '../../helpers/eventually.ts'
import type { Platform } from '../../helpers/platform.ts'
import { endsAs, historyOf, stop, type TestSession } from '../stage.ts'
import { kinds } from './kinds.ts'
import { lastWords, openPage, reopenPage, wordsOf } from './page.ts'
import { sendAndHear, sharedWorld, shows } from './world.ts'

const world = sharedWorld(test)

/** A network that breaks, with the error that browsers have for that. */
function breakable() {
  const broken = new AbortController()
  let answered = 0
  const breaking: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    answered += 1
    const body = response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        start: (controller) => broken.signal.addEventListener('abort', () => controller.error(broken.signal.reason)),
      }),
    )
    return new Response(body ?? null, response)
  }
  return { fetch: breaking, cut: () => broken.abort(new TypeError('network error')), answered: () => answered }
}

/** Waits until the writer of the session's last answer has looked whether it is to stop. */
async function looked({ services }: Platform, { id: sessionId }: TestSession): Promise<void> {
  const writerUntil = async () => {
    const last = await services.database('chat_answers').where({ sessionId }).orderBy('number', 'desc').first()
    return (last as { writerUntil: Date }).writerUntil.getTime()
  }
  const before = await writerUntil()
  await eventually(10, 'the writer has looked', async () => (await writerUntil()) > before || undefined)
}

for (const kind of kinds) {
  // @promise chat-stops
  test(`a stopped answer ends for its client, which keeps its words, and no later one ends with it (${kind.title})`, async (t) => {
    const { sessionOf, talker, talking, platform } = await world()
    const model = talking()
    const session = await sessionOf({ model, onDisconnect: 'continue' })
    const page = openPage(kind, session)
    const { sent } = await sendAndHear(talker, page, { model, text: 'I begin. ' })
    const messageId = page.chat.lastMessage?.id
    t.is((await stop(session, 'any-chat', `?messageId=${messageId}`)).status, 204)
    await sent
    t.is(page.chat.status, 'ready')
    await page.wire[0]?.read
    t.deepEqual(page.wire[0]?.parts.slice(-2), ['abort', '[DONE]'])
    const { items } = await historyOf(session)
    t.like(items[1], { id: messageId, status: 'stopped', parts: [{ type: 'step-start' }, { text: 'I begin. ' }] })

    const later = await sendAndHear(talker, page, { model, text: 'Once more. ', number: 2 })
    t.is((await stop(session, 'any-chat', `?messageId=${messageId}`)).status, 204)
    await looked(platform, session)
    later.speaking.say('And the end.')
    later.speaking.finish()
    await later.sent
    t.is(page.finishes[1]?.finishReason, 'stop')
    t.is(lastWords(page), 'Once more. And the end.')
  })

  // @promise chat-readers
  test(`an answer whose client has left is given up by default, and the client can go on (${kind.title})`, async (t) => {
    const { sessionOf, talker, talking } = await world()
    const model = talking()
    const session = await sessionOf({ model })
    const page = openPage(kind, session)
    const { sent } = await sendAndHear(talker, page, { model, text: 'I begin. ' })
    await page.chat.stop()
    await sent
    t.is(page.chat.status, 'ready')
    const answer = await endsAs(session, 'failed')
    t.like(answer, { parts: [], error: { code: 'STREAM_ABORTED', statusCode: 499 } })
    await page.chat.resumeStream()
    t.is(page.wire[1]?.status, 204, 'there is nothing to resume')
    const later = await sendAndHear(talker, page, { model, text: 'Once more. ', number: 2 })
    later.speaking.finish()
    await later.sent
    t.is(page.chat.status, 'ready')
    t.is(lastWords(page), 'Once more. ')
  })

  // @promise chat-readers
  test(`an answer that goes on without its client is resumed whole, as often as pages ask for it (${kind.title})`, async (t) => {
    const { sessionOf, talker, talking } = await world()
    const model = talking()
    const session = await sessionOf({ model, onDisconnect: 'continue' })
    const page = openPage(kind, session)
    const { sent, speaking } = await sendAndHear(talker, page, { model, text: 'One. ' })
    const messageId = page.chat.lastMessage?.id
    await page.chat.stop()
    await sent
    speaking.say('Two. ')
    const reloaded = await reopenPage(kind, session)
    const resumed = [page, reloaded].map(({ chat }) => chat.resumeStream())
    await Promise.all([page, reloaded].map((one) => shows(one, 'One. Two. ')))
    speaking.say('Three.')
    speaking.finish()
    await Promise.all(resumed)
    for (const { chat, finishes } of [page, reloaded]) {
      t.is(chat.status, 'ready')
      t.is(finishes.at(-1)?.finishReason, 'stop')
      t.deepEqual(
        chat.messages.map(({ id, role }) => ({ id, role })),
        [
          { id: page.chat.messages[0]?.id, role: 'user' },
          { id: messageId, role: 'assistant' },
        ],
      )
      t.is(wordsOf(chat.lastMessage), 'One. Two. Three.')
      t.is(chat.lastMessage?.parts.filter(({ type }) => type === 'text').length, 1)
    }
    const { items } = await historyOf(session)
    t.like(items[1], {
      id: messageId,
      status: 'completed',
      parts: [{ type: 'step-start' }, { text: 'One. Two. Three.' }],
    })
  })

  test(`a client whose connection broke resumes the answer, and shows its words once (${kind.title})`, async (t) => {
    const { sessionOf, talker, talking } = await world()
    const model = talking()
    const session = await sessionOf({ model, onDisconnect: 'continue' })
    const network = breakable()
    const page = openPage(kind, session, { more: { fetch: network.fetch } })
    const { sent, speaking } = await sendAndHear(talker, page, { model, text: 'One. ' })
    network.cut()
    await sent
    t.is(page.chat.status, 'error')
    t.true(page.finishes[0]?.isDisconnect)
    const again = kind.addsReplays ? await reopenPage(kind, session) : page
    const resumed = again.chat.resumeStream()
    await eventually(20, 'the stream is resumed', () => network.answered() + again.wire.length === 2 || undefined)
    speaking.say('Two.')
    speaking.finish()
    await resumed
    t.is(again.chat.messages.length, 2)
    t.is(lastWords(again), 'One. Two.')
  })

  test(`a client that resumes where nothing is under way goes on as before (${kind.title})`, async (t) => {
    const { sessionOf } = await world()
    const session = await sessionOf({ onDisconnect: 'continue' })
    const page = openPage(kind, session)
    await page.chat.resumeStream()
    await page.chat.sendMessage({ text: '[[say Hello.]]' })
    const before = page.chat.messages
    await page.chat.resumeStream()
    t.is(page.chat.status, 'ready')
    t.deepEqual(page.chat.messages, before)
    t.deepEqual(
      page.wire.map(({ status }) => status),
      [204, 200, 204],
    )
  })
}

test('the resumable transport of assistant-ui finds a stream again by the id that came with it', async (t) => {
  const { sessionOf, talker, talking } = await world()
  const kind = kinds.find(({ name }) => name === 'assistant-ui')!
  const model = talking()
  const session = await sessionOf({ model, onDisconnect: 'continue' })
  let stored: string | null = null
  const storage = {
    getStreamId: (): string | null => stored,
    setStreamId: (id: string) => void (stored = id),
    clear: () => void (stored = null),
  }
  const resumable = { storage, resumeApi: (id: string) => `${session.url}/chat/messages/${id}/stream` }
  const page = openPage(kind, session, { more: { resumable } })
  const { sent, speaking } = await sendAndHear(talker, page, { model, text: 'One. ' })
  await page.chat.stop()
  await sent
  t.is(storage.getStreamId(), page.chat.lastMessage?.id ?? '')
  const reloaded = await reopenPage(kind, session, { resumable })
  const resumed = reloaded.chat.resumeStream()
  await shows(reloaded, 'One. ')
  speaking.say('Two.')
  speaking.finish()
  await resumed
  t.is(lastWords(reloaded), 'One. Two.')
  t.is(storage.getStreamId(), null)
})
