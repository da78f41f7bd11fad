import test from 'ava'
import { customer } from '../helpers/people.ts'
import { openStage } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { sharedWorld } from './clients/world.ts'
import { historyOf, openSession, partsOf, send, stop, textOf, typesOf, underWay } from './stage.ts'

const stage = forWholeFile(test, 'order of chats', (t) =>
  openStage(t, { worker: false, env: { CHAT_TIMEOUT_SECONDS: '5' } }),
)
/** Where an answer lasts until the test ends it, however busy the machine is. */
const world = sharedWorld(test)

// @promise chat-order chat-codes
test('messages that come at the same time are answered in order, and waiting does not count toward the time of an answer', async (t) => {
  const { platform } = await stage()
  const session = await openSession(await customer(platform))
  const ended: number[] = []
  const answers = await Promise.all(
    [1, 2, 3, 4].map(async (number) => {
      const parts = await partsOf(
        t,
        await send(session, { text: `[[sleep 2]] [[say Answer ${number}.]]`, stream: true }),
      )
      ended.push(number)
      return textOf(parts)
    }),
  )
  for (const [index, text] of answers.entries()) t.regex(text, new RegExp(`Answer ${index + 1}\\.`))
  const { items } = await historyOf(session, '?branch=all')
  const order = items
    .filter(({ role }) => role === 'user')
    .map(({ parts }) => /Answer (\d)/.exec(JSON.stringify(parts))?.[1])
  t.deepEqual(ended.map(String), order)
})

// @promise chat-order
test('the eleventh message that would wait is refused, and told when to come again', async (t) => {
  const { platform } = await stage()
  const session = await openSession(await customer(platform))
  const leaving = new AbortController()
  const sent = Array.from({ length: 11 }, () =>
    send(session, { text: '[[sleep 30]]', stream: true }, { signal: leaving.signal }).then(({ status, headers }) => ({
      status,
      wait: headers.get('retry-after'),
    })),
  )
  t.like(await Promise.race(sent), { status: 429, wait: '5' })
  leaving.abort()
  await Promise.allSettled(sent)
})

// @promise chat-stops
test('an answer that is stopped ends as such, and a late stop ends no other answer', async (t) => {
  const { talker, talking, sessionOf } = await world()
  const model = talking()
  const session = await sessionOf({ model })
  const stopped = send(session, { text: 'Tell me.', stream: true })
  await talker.call(model)
  const { id } = await underWay(session)
  t.is((await stop(session, 'chat-1', `?messageId=${id}`)).status, 204)
  t.is(typesOf(await partsOf(t, await stopped)).at(-1), 'abort')
  t.like((await historyOf(session)).items[1], { status: 'stopped' })
  const next = send(session, { text: 'And now?', stream: true })
  const speaking = await talker.call(model, 2)
  t.is((await stop(session, id)).status, 204)
  speaking.say('I am another.')
  speaking.finish()
  t.is(typesOf(await partsOf(t, await next)).at(-1), 'finish')
})

// @promise chat-stops
test('nobody stops an answer of another session', async (t) => {
  const { platform } = await stage()
  const someone = await customer(platform)
  const [mine, theirs] = [await openSession(someone), await openSession(await customer(platform))]
  const answer = send(mine, { text: '[[sleep 2]] [[say I was not stopped.]]', stream: true })
  const { id } = await underWay(mine)
  t.is((await stop(theirs, id)).status, 404)
  t.regex(textOf(await partsOf(t, await answer)), /I was not stopped\./)
})
