// @promise hard-texts
import test from 'ava'
import { createTurns } from '../../../src/threads/turns.ts'

/** Work that ends when it is told to. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, open: () => resolve() }
}

test('no more is done at a time than there are places', async (t) => {
  const turns = createTurns(2)
  let [now, most] = [0, 0]
  const work = async () => {
    most = Math.max(most, ++now)
    await new Promise(setImmediate)
    now -= 1
  }
  await Promise.all(Array.from({ length: 20 }, (_, index) => turns.take(`party ${index % 3}`, work)))
  t.is(most, 2)
})

test('the party whose last turn is longest ago is next, however much another has asked for', async (t) => {
  const turns = createTurns(1)
  const order: string[] = []
  const first = gate()
  const blocked = turns.take('many', () => first.promise)
  const note = (party: string) => turns.take(party, async () => void order.push(party))
  const others = [...Array.from({ length: 5 }, () => note('many')), note('few'), note('one'), note('few')]
  first.open()
  await Promise.all([blocked, ...others])
  t.deepEqual(order, ['few', 'one', 'many', 'few', 'many', 'many', 'many', 'many'])
})

test('work that fails gives its place back, and a party without work is forgotten', async (t) => {
  const turns = createTurns(1)
  await t.throwsAsync(
    turns.take('a', () => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  )
  t.is(await turns.take('b', () => Promise.resolve(7)), 7)
  t.is(await turns.take('a', () => Promise.resolve(8)), 8)
})

test('work that takes longer than the limit goes on without its place, and gives back no second one', async (t) => {
  const turns = createTurns(1, { longestMs: 20 })
  const slow = gate()
  const hanging = turns.take('slow', () => slow.promise)
  t.is(await turns.take('other', () => Promise.resolve(7)), 7)
  slow.open()
  await hanging
  let [now, most] = [0, 0]
  const work = async () => {
    most = Math.max(most, ++now)
    await new Promise(setImmediate)
    now -= 1
  }
  await Promise.all(Array.from({ length: 5 }, () => turns.take('other', work)))
  t.is(most, 1)
})

test('a party has no more places at a time than each may have, and the others are free for its neighbours', async (t) => {
  const turns = createTurns(4, { each: 2 })
  const busy = gate()
  let begun = 0
  const all = Array.from({ length: 10 }, () =>
    turns.take('busy', () => {
      begun += 1
      return busy.promise
    }),
  )
  t.is(await turns.take('neighbour', () => Promise.resolve(7)), 7)
  t.is(begun, 2)
  busy.open()
  await Promise.all(all)
  t.is(begun, 10)
})
