// @promise callbacks
import test from 'ava'
import { nextAttempt } from '../../../src/callbacks/retry-schedule.ts'

const now = new Date('2026-11-22T12:00:00Z')
const in24Hours = new Date('2026-11-23T12:00:00Z')

/** Seconds until the next attempt; undefined when there is none. */
function pause(tries: number, more: Partial<Parameters<typeof nextAttempt>[0]> = {}): number | undefined {
  const next = nextAttempt({ tries, now, giveUpAt: in24Hours, ...more })
  return next && (next.getTime() - now.getTime()) / 1000
}

test('the pauses between attempts grow up to an hour, and stay there', (t) => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 30].map((tries) => pause(tries))
  t.deepEqual(pauses, [10, 30, 60, 300, 900, 1800, 3600, 3600, 3600])
})

test('a receiver’s own Retry-After makes a pause longer, up to an hour, and never shorter', (t) => {
  const pauses = [1, 9, 90, 3601, 86_400].map((retryAfter) => pause(1, { retryAfter }))
  t.deepEqual(pauses, [10, 10, 90, 3600, 3600])
  t.is(pause(7, { retryAfter: 60 }), 3600)
})

test('the last attempt is due when the time is up, and after it there is none', (t) => {
  for (const seconds of [60, 1800]) t.is(pause(7, { giveUpAt: new Date(now.getTime() + seconds * 1000) }), seconds)
  t.is(pause(1, { giveUpAt: now }), undefined)
  t.is(pause(7, { giveUpAt: now }), undefined)
  t.is(pause(1, { gone: true }), undefined)
})
