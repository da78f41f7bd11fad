import test from 'ava'
import { newId } from '../../src/ids.ts'
import { person } from '../helpers/people.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { historyOf, openSession, send, type TestSession } from './stage.ts'

const platformOf = sharedPlatform(test, 'idle')

/** A session in which something was said so many times. */
async function talked(times: number): Promise<TestSession> {
  const platform = await platformOf()
  const session = await openSession(await person(platform))
  for (let said = 0; said < times; said += 1) await (await send(session, { text: '[[say Hello.]]' })).text()
  return session
}

/** The pages of a history. */
async function pagesOf(session: TestSession, query: string): Promise<number[][]> {
  const pages: number[][] = []
  for (let more = true; more;) {
    const page = await historyOf(session, `?after=${pages.at(-1)?.at(-1) ?? 0}&${query}`)
    pages.push(page.items.map(({ number }) => number))
    more = page.more
  }
  return pages
}

test('a history is read page by page, whole and in order', async (t) => {
  const session = await talked(5)
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  for (const branch of ['all', 'current']) {
    for (const limit of [1, 3, 5, 9, 10, 100]) {
      const pages = await pagesOf(session, `branch=${branch}&limit=${limit}`)
      t.deepEqual(pages.flat(), numbers)
      t.is(pages.length, Math.ceil(10 / limit))
    }
  }
  t.deepEqual(await historyOf(session, '?after=10'), { items: [], more: false })
  t.deepEqual(await historyOf(await talked(0)), { items: [], more: false })
})

test('a message keeps the id that its client gave it, whatever has that id in another session', async (t) => {
  const [session, other] = [await talked(0), await talked(1)]
  for (const one of [session, other]) await (await send(one, { id: 'mine', text: '[[say Hello.]]' })).text()
  t.like(await historyOf(session), { items: { 0: { id: 'mine' }, 1: { parentId: 'mine' } } })
  t.is((await historyOf(other)).items[2]?.id, 'mine')
})

test('a page of answers with long results ends early, and none is left out', async (t) => {
  const platform = await platformOf()
  const session = await talked(4)
  const { database } = platform.services
  const answers = (await database('chat_answers').where({ sessionId: session.id })) as { id: string; number: number }[]
  const common = { step: 1, plannedAt: new Date(), effect: 'read', status: 'succeeded', name: 'read', arguments: '{}' }
  const result = JSON.stringify({ text: 'x'.repeat(600_000) })
  const calls = answers.flatMap(({ id: subjectId }) =>
    [0, 1].map((position) => ({ ...common, id: newId(), subjectId, position, result })),
  )
  await database('tool_calls').insert(calls)
  t.deepEqual(await pagesOf(session, 'limit=100'), [[1], [2], [3], [4], [5], [6], [7], [8]])
})
