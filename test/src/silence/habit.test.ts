import test from 'ava'
import { learn, type Habit } from '../../../src/silence/habit.ts'

const start = Date.parse('2026-11-02T09:00:00Z')
const hour = 3600

/** The habit after deliveries at these hours since the start. */
const after = (hours: readonly number[], before?: Habit): Habit =>
  hours.reduce<Habit | undefined>((habit, at) => {
    const when = new Date(start + at * hour * 1000)
    const sequence = (habit?.seenSequence ?? 0) + 1
    return learn(habit, 'a1', { firstAt: when, lastAt: when, count: 1, sequence })
  }, before) as Habit

/** So many times, so many hours apart. */
const every = (hours: number, times: number, from = 0) => Array.from({ length: times }, (_, i) => from + i * hours)

test('deliveries are usual after twenty of them over eight days, and then twice the longest gap may pass', (t) => {
  const cases: [what: string, hours: number[], quiet: number | null][] = [
    ['nineteen', every(12, 19), null],
    ['twenty', every(12, 20), 24 * hour],
    ['twenty within a week', every(8, 20), null],
    ['a weekend counts', [...every(8, 10), ...every(8, 20, 72 + 62)], 2 * 62 * hour],
    ['a quarter of an hour is the least', every(0.05, 200 * 20), 900],
  ]
  for (const [what, hours, quiet] of cases) t.is(after(hours).quietSeconds, quiet, what)
})

test('a gap counts for four weeks, and after four weeks without a delivery everything starts anew', (t) => {
  const once = [0, ...every(12, 70, 100)]
  t.is(after(once.slice(0, 50)).quietSeconds, 200 * hour)
  t.is(after(once).quietSeconds, 24 * hour)
  t.like(after([...every(12, 30), 30 * 12 + 29 * 24]), { deliveries: 1, quietSeconds: null, dueAt: null })
  t.true(after(every(1, 2000)).gaps.length <= 28)
})

test('it is looked at when it may first be silent, and never later than that', (t) => {
  const usual = after(every(12, 20))
  t.is(usual.dueAt?.getTime(), start + (19 * 12 + 24) * hour * 1000)
  // A loop moves the time on, and shorter gaps move it back.
  const far = new Date(start + 90 * 24 * hour * 1000)
  t.is(after([20 * 12], { ...usual, dueAt: far }).dueAt?.getTime(), start + (20 * 12 + 24) * hour * 1000)
  t.deepEqual(after([20 * 12], usual).dueAt, usual.dueAt)
})

test('repeats change nothing, older reports of another process add up, and a delivery ends a silence', (t) => {
  const usual = after(every(12, 20))
  const at = (seconds: number) => new Date(start + 20 * 12 * hour * 1000 + seconds * 1000)
  const silent = { ...usual, silentSince: usual.lastAt }
  t.is(learn(silent, 'a1', { firstAt: at(0), lastAt: at(0), count: 1, sequence: 20 }), silent)
  const first = learn(silent, 'a1', { firstAt: at(5), lastAt: at(9), count: 3, sequence: 24 })
  t.like(first, { deliveries: 23, silentSince: null })
  const second = learn(first, 'a1', { firstAt: at(2), lastAt: at(7), count: 2, sequence: 25 })
  t.like(second, { deliveries: 25, lastAt: at(9), quietSeconds: first.quietSeconds })
})
