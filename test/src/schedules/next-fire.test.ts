import test from 'ava'
import { nextFireOf } from '../../../src/schedules/next-fire.ts'
import type { ScheduledAgent } from '../../../src/schedules/plan.ts'

const scheduled: ScheduledAgent = {
  id: 'agent',
  ownerId: 'owner',
  name: 'An agent',
  trigger: 'scheduled',
  cron: '0 9 * * *',
  timeZone: 'Europe/Berlin',
  pausedAt: null,
  deletedAt: null,
}

test('the next fire is the first one after the instant', (t) => {
  const next = (after: string, change: Partial<ScheduledAgent> = {}) =>
    nextFireOf({ ...scheduled, ...change }, new Date(after))?.toISOString() ?? null
  t.is(next('2026-11-21T07:59:59.999Z'), '2026-11-21T08:00:00.000Z')
  t.is(next('2026-11-21T08:00:00Z'), '2026-11-22T08:00:00.000Z')
  t.is(next('2026-11-21T08:00:00Z', { trigger: 'manual' }), null)
  t.is(next('2026-11-21T08:00:00Z', { cron: '0 0 30 2 *' }), null, 'it cannot be read')
})
