import test from 'ava'
import type { Api } from '../../console/api/client.ts'
import { createEventReader, rangesOf } from '../../console/screens/runs/timeline/event-reader.ts'

type RunEvent = Api['RunEvent']

/** A reader whose pages have at most `perPage` events, of which the first `count` exist. */
function readerOf(count: number, perPage = 100) {
  const asked: [after: number, limit: number][] = []
  const due: (() => void)[] = []
  const read = createEventReader(
    async (after, limit) => {
      asked.push([after, limit])
      const numbers = Array.from({ length: Math.min(limit, perPage, count - after) }, (_, index) => after + index + 1)
      return numbers.map((number) => ({ number }) as RunEvent)
    },
    (send) => due.push(send),
  )
  return { asked, read, send: () => due.splice(0).forEach((each) => each()) }
}

test('events that are wanted together are read together, and those that are far apart by themselves', async (t) => {
  const { asked, read, send } = readerOf(1000)
  const found = Promise.all([7, 3, 5, 500, 7].map(read))
  t.deepEqual(asked, [])
  send()
  t.deepEqual(
    (await found).map(({ number }) => number),
    [7, 3, 5, 500, 7],
  )
  t.deepEqual(asked, [
    [2, 5],
    [499, 1],
  ])
})

test('a page that ends early is continued', async (t) => {
  const { asked, read, send } = readerOf(1000, 2)
  const found = Promise.all([1, 2, 3, 4, 5].map(read))
  send()
  t.is((await found).length, 5)
  t.deepEqual(asked, [
    [0, 5],
    [2, 3],
    [4, 1],
  ])
})

test('an event that cannot be read fails alone', async (t) => {
  const { read, send } = readerOf(6)
  const found = Promise.allSettled([5, 6, 7].map(read))
  send()
  t.deepEqual(
    (await found).map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  )
})

test('no request spans more than a hundred events', (t) => {
  const numbers = Array.from({ length: 250 }, (_, index) => index + 1)
  t.deepEqual(rangesOf(numbers), [
    { first: 1, last: 100 },
    { first: 101, last: 200 },
    { first: 201, last: 250 },
  ])
})
