// @promise host-limit
import test from 'ava'
import * as fc from 'fast-check'
import { msUntilTurn, type WaitingCall, type CountedSlot, type HostState } from '../../../src/tools/outgoing-turns.ts'

const roundMs = 60_000
const shareNames = fc.constantFrom('a', 'b', 'c', 'd')
const callsOf = fc
  .array(shareNames, { minLength: 1, maxLength: 40 })
  .map((shares) => shares.map((share, place) => ({ id: `call-${place}`, share })))
const slotsOf = fc
  .array(fc.record({ share: shareNames, freeInMs: fc.integer({ min: 1, max: 90_000 }) }), { maxLength: 15 })
  .map((slots) => slots.toSorted((one, other) => one.freeInMs - other.freeInMs))
const servedOf = fc.uniqueArray(shareNames)
const states = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  slots: slotsOf,
  calls: callsOf,
  served: servedOf,
})

const turns = (state: Omit<HostState, 'roundMs'>) =>
  state.calls.map((asker) => ({ ...asker, at: msUntilTurn(asker.id, { ...state, roundMs }) ?? Number.NaN }))

/** The rule as it is said: by slots that the share holds plus place within the share. */
function keyOf(asker: WaitingCall, { slots, calls }: { slots: CountedSlot[]; calls: WaitingCall[] }): number {
  const own = calls.filter(({ share }) => share === asker.share)
  return slots.filter(({ share }) => share === asker.share).length + own.findIndex(({ id }) => id === asker.id) + 1
}

/** Has a property hold for any state of a host, with the turns of all who wait. */
const always = (
  check: (
    state: typeof states extends fc.Arbitrary<infer State> ? State : never,
    all: ReturnType<typeof turns>,
  ) => void,
) =>
  fc.assert(
    fc.property(states, (state) => check(state, turns(state))),
    { numRuns: 500 },
  )

const ascending = (numbers: number[]): number[] => numbers.toSorted((one, other) => one - other)

test('those whose turn is now are the first by slots held and place within the share, as many as slots are free', (t) => {
  always((state, all) => {
    const keysOf = (calls: WaitingCall[]) => ascending(calls.map((asker) => keyOf(asker, state)))
    const free = Math.max(0, state.limit - state.slots.length)
    t.deepEqual(keysOf(all.filter(({ at }) => at === 0)), keysOf(state.calls).slice(0, free))
  })
})

test('calls made at their turns never count more than the limit at once, and leave no free slot unused while somebody waits', (t) => {
  always(({ limit, slots }, all) => {
    const starts = all.map(({ at }) => at)
    const last = Math.max(...starts)
    for (const moment of [...starts, ...slots.map(({ freeInMs }) => freeInMs)]) {
      const counted = starts.filter((at) => at <= moment && at + roundMs > moment).length
      const before = slots.filter(({ freeInMs }) => freeInMs > moment).length
      if (starts.includes(moment))
        t.true(counted + before <= Math.max(limit, before), `${counted} + ${before} at ${moment}`)
      if (moment < last) t.true(counted + before >= limit)
    }
  })
})

test('within a share those who asked first are first, and nobody has no turn', (t) => {
  always((_state, all) => {
    t.true(all.every(({ at }) => at >= 0))
    for (const same of Object.values(Object.groupBy(all, ({ share }) => share))) {
      const own = same?.map(({ at }) => at) ?? []
      t.deepEqual(own, ascending(own))
    }
  })
})

test('shares that want enough differ by one at most, whenever a call is made, if they began alike', (t) => {
  const property = fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 2, max: 4 }), (limit, shares) => {
    const names = ['a', 'b', 'c', 'd'].slice(0, shares)
    const calls = names.flatMap((share) => Array.from({ length: 40 }, (_, n) => ({ id: `${share}${n}`, share })))
    const all = turns({ limit, slots: [], calls, served: [] })
    for (const { at: until } of all) {
      const counts = names.map((name) => all.filter(({ share, at }) => share === name && at < until).length)
      t.true(Math.max(...counts) - Math.min(...counts) <= 1, `${counts.join()} before ${until}`)
    }
  })
  fc.assert(property)
})

test('a share that comes to a host which another has used up gets every slot until both hold the same', (t) => {
  const slots = Array.from({ length: 10 }, (_, n) => ({ share: 'hog', freeInMs: 1000 * (n + 1) }))
  const waiting = Array.from({ length: 40 }, (_, n) => ({ id: `hog${n}`, share: 'hog' }))
  const newcomers = Array.from({ length: 10 }, (_, n) => ({ id: `new${n}`, share: 'new' }))
  const state = { limit: 10, roundMs, slots, calls: [...waiting, ...newcomers], served: ['hog'] }
  const first = (calls: WaitingCall[]) => calls.slice(0, 7).map(({ id }) => msUntilTurn(id, state))
  t.deepEqual(first(newcomers), [1000, 2000, 3000, 4000, 5000, 61_000, 62_000])
  t.deepEqual(first(waiting), [6000, 7000, 8000, 9000, 10_000, 66_000, 67_000])
})

test('between shares that hold the same, the one that was served longest ago is first, and who never was before it', (t) => {
  const calls = ['late', 'early', 'never'].map((share) => ({ id: share, share }))
  const all = turns({ limit: 1, slots: [], calls, served: ['early', 'late'] })
  t.deepEqual(
    all.toSorted((one, other) => one.at - other.at).map(({ id }) => id),
    ['never', 'early', 'late'],
  )
})

test('where the limit was lowered, the first slots that expire make no room; who does not ask has no turn', (t) => {
  const slots = [1000, 2000, 3000, 4000].map((freeInMs) => ({ share: 'a', freeInMs }))
  const state = { limit: 2, roundMs, slots, calls: [{ id: 'x', share: 'b' }], served: [] }
  t.deepEqual([msUntilTurn('x', state), msUntilTurn('nobody', state)], [3000, undefined])
})

test('an owner with many agents gets no more than an owner with one, and they share it', (t) => {
  const calls = ['a', 'a', 'a', 'a', 'b', 'c'].map((name, n) => ({ id: `call-${n}`, share: `owner/${name}` }))
  const other = Array.from({ length: 9 }, (_, n) => ({ id: `other-${n}`, share: 'other/a' }))
  const now = turns({ limit: 6, slots: [], calls: [...calls, ...other], served: [] }).filter(({ at }) => at === 0)
  const expected = ['other/a', 'other/a', 'other/a', 'owner/a', 'owner/b', 'owner/c']
  t.deepEqual(now.map(({ share }) => share).toSorted(), expected)
})
