import test from 'ava'
import { createPlaces, NoPlaceError } from '../../../src/shares/places.ts'
import { createCommon, createShares } from '../../../src/shares/shares.ts'

const never = new AbortController().signal
const long = 5000

/** Begins work of a party that ends when it is told to. */
function begin(places: ReturnType<typeof createPlaces>, party: string, signal = never) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const state = { begun: false, end: () => resolve() }
  const done = places.use(party, signal, async () => {
    state.begun = true
    await promise
  })
  return Object.assign(state, { done, settled: done.catch((error: unknown) => error) })
}

const settle = () => new Promise(setImmediate)

test('a place that becomes free goes to the party that holds the fewest, not to the one that has waited longest', async (t) => {
  const places = createPlaces({ shares: createShares(4), room: 20, patienceMs: long })
  const [one, two, three] = ['busy', 'busy', 'other'].map((party) => begin(places, party))
  const [busy, newcomer] = ['busy', 'newcomer'].map((party) => begin(places, party))
  await settle()
  t.deepEqual([one!.begun, two!.begun, three!.begun], [true, true, true])
  t.true(newcomer!.begun, 'a party without a place finds one')
  const late = begin(places, 'late')
  await settle()
  t.false(late.begun)
  three!.end()
  await settle()
  t.true(late.begun)
  t.false(busy!.begun)
})

test('parties take turns where there is only one place, however many of one wait for it', async (t) => {
  const places = createPlaces({ shares: createCommon(1), room: 100, patienceMs: long })
  const order: string[] = []
  const work = (party: string) =>
    places.use(party, never, async () => {
      order.push(party)
      await settle()
    })
  const all = ['busy', 'busy', 'busy', 'busy', 'one', 'two', 'one'].map(work)
  await Promise.all(all)
  t.deepEqual(order, ['busy', 'one', 'two', 'busy', 'one', 'busy', 'busy'])
  // Whoever comes back has not become new by that.
  const later = ['one', 'busy', 'two', 'one'].map(work)
  await Promise.all(later)
  t.deepEqual(order.slice(7), ['one', 'two', 'busy', 'one'])
})

test('a party that is alone does no more at a time than its share, and all of its work in the end', async (t) => {
  const places = createPlaces({ shares: createShares(6), room: 40, patienceMs: long })
  let [now, most] = [0, 0]
  const work = async () => {
    most = Math.max(most, ++now)
    await settle()
    now -= 1
  }
  await Promise.all(Array.from({ length: 20 }, () => places.use('alone', never, work)))
  t.is(most, 3)
})

test('work that finds no room is refused at once, and what waits for too long after its patience', async (t) => {
  const places = createPlaces({ shares: createShares(2), room: 2, patienceMs: 20 })
  const first = begin(places, 'a')
  const second = begin(places, 'a')
  const third = begin(places, 'a')
  t.true((await third.settled) instanceof NoPlaceError)
  t.false(second.begun)
  t.true((await second.settled) instanceof NoPlaceError)
  t.false(second.begun)
  first.end()
  await first.done
  // What was refused holds nothing: there is room again.
  const fourth = begin(places, 'a')
  const fifth = begin(places, 'a')
  fourth.end()
  await settle()
  t.true(fifth.begun)
})

test('work that is aborted while it waits never begins, and leaves its room', async (t) => {
  const places = createPlaces({ shares: createShares(2), room: 2, patienceMs: long })
  const first = begin(places, 'a')
  const aborting = new AbortController()
  const waiting = begin(places, 'a', aborting.signal)
  aborting.abort(new Error('stopped'))
  t.is(((await waiting.settled) as Error).message, 'stopped')
  t.false(waiting.begun)
  const next = begin(places, 'a')
  first.end()
  await settle()
  t.true(next.begun)
})

test('work that fails gives its place back', async (t) => {
  const places = createPlaces({ shares: createShares(1), room: 1, patienceMs: long })
  await t.throwsAsync(
    places.use('a', never, () => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  )
  t.is(await places.use('a', never, () => Promise.resolve(7)), 7)
})
