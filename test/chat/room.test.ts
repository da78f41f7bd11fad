import test from 'ava'
import { person } from '../helpers/people.ts'
import { openStage } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { eventually } from '../helpers/eventually.ts'
import { historyOf, openSession, partsOf, send, textOf } from './stage.ts'

const stage = forWholeFile(test, 'room for chats', (t) => openStage(t, { worker: false }))

test('a message whose stream is refused is not kept, and holds up no other', async (t) => {
  const { platform } = await stage()
  const someone = await person(platform)
  const sessions = await Promise.all(Array.from({ length: 31 }, () => openSession(someone)))
  const [last, ...others] = sessions
  const leaving = new AbortController()
  const text = '[[sleep 60]]'
  const streams = others.map((session) => send(session, { text, stream: true }, { signal: leaving.signal }))
  await eventually(10, 'all are under way', async () => {
    const found = await Promise.all(others.map((session) => historyOf(session)))
    return found.every(({ items }) => items[1]?.status === 'running') || undefined
  })
  const refused = await send(last!, { text: 'Hello.', stream: true })
  t.is(refused.status, 429)
  t.like(await refused.json(), { code: 'RATE_LIMITED' })
  t.deepEqual((await historyOf(last!)).items, [])
  leaving.abort()
  await Promise.allSettled(streams)
  const answer = await eventually(10, 'there is room again', async () => {
    const response = await send(last!, { text: '[[say Hello.]]', stream: true })
    return response.status === 200 ? response : void (await response.text())
  })
  t.regex(textOf(await partsOf(t, answer)), /Hello\./)
})
