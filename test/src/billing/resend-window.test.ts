import test from 'ava'
import { mayResend, mayStillArrive } from '../../../src/billing/resend-window.ts'
import { later } from '../../../src/clock.ts'

const since = new Date('2026-11-21T09:00:00Z')

test('something is sent again for five minutes, and may be under way for fifteen', (t) => {
  for (const [seconds, sent, underWay] of [
    [0, true, true],
    [300, true, true],
    [300.001, false, true],
    [900, false, true],
    [900.001, false, false],
  ] as const) {
    t.is(mayResend(since, later(since, seconds)), sent, `sent after ${seconds} s`)
    t.is(mayStillArrive(since, later(since, seconds)), underWay, `under way after ${seconds} s`)
  }
})
