import test from 'ava'
import { customer } from '../helpers/people.ts'
import { openStage } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { historyOf, openSession, partsOf, send, textOf, typesOf, type TestSession } from './stage.ts'

const stage = forWholeFile(test, 'order of chats', (t) =>
  openStage(t, { worker: false, env: { CHAT_TIMEOUT_SECONDS: '5' } }),
)

const stop = ({ token, url }: TestSession, id: string, query = '') =>
  fetch(`${url}/chat/messages/${id}/stream${query}`, { method: 'DELETE', headers: { 'x-session-token': token } })

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

test('an answer that is stopped keeps what it has said, and a late stop ends no other answer', async (t) => {
  const { platform } = await stage()
  const session = await openSession(await customer(platform))
  const response = await send(session, { text: '[[say I begin.]] [[then]] [[sleep 30]]', stream: true })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const first = await reader.read()
  const id = /"messageId":"([^"]+)"/.exec(first.value ?? '')?.[1] ?? ''
  t.is((await stop(session, 'chat-1', `?messageId=${id}`)).status, 204)
  let rest = ''
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) rest += piece.value
  t.regex(rest, /"type":"abort"/)
  t.regex(rest, /\[DONE\]\n\n$/)
  t.like((await historyOf(session)).items[1], { status: 'stopped' })
  const next = send(session, { text: '[[sleep 1]] [[say I am another.]]', stream: true })
  t.is((await stop(session, id)).status, 204)
  const parts = await partsOf(t, await next)
  t.is(typesOf(parts).at(-1), 'finish')
})
