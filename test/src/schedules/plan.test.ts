import test from 'ava'
import { isCoded } from '../../../src/errors.ts'
import { assertPlan, planOf, type ScheduledAgent } from '../../../src/schedules/plan.ts'

const scheduled: ScheduledAgent = {
  id: 'agent',
  ownerId: 'owner',
  name: 'An agent',
  trigger: 'scheduled',
  cron: '0 9  * * 1-5',
  timeZone: 'europe/berlin',
  pausedAt: null,
  deletedAt: null,
}

test('the plan of a scheduled agent is its expression and its zone', (t) => {
  t.like(planOf(scheduled), { cron: { text: '0 9 * * 1-5', hour: [9] }, timeZone: 'Europe/Berlin' })
  t.truthy(planOf({ ...scheduled, pausedAt: new Date() }), 'a paused one has it, too')
})

test('there is no plan without an agent, without a schedule, and where the expression or the zone cannot be read', (t) => {
  t.is(planOf(undefined), undefined)
  const changes: Partial<ScheduledAgent>[] = [
    { trigger: 'webhook' },
    { trigger: 'manual' },
    { deletedAt: new Date() },
    { cron: null },
    { cron: '61 * * * *' },
    { timeZone: null },
    { timeZone: 'Europe/Nowhere' },
  ]
  for (const change of changes) t.is(planOf({ ...scheduled, ...change }), undefined, JSON.stringify(change))
  t.throws(() => planOf({ ...scheduled, cron: 5 as unknown as string }), { instanceOf: TypeError })
})

test('all that is wrong with a plan is said at once', (t) => {
  t.notThrows(() => assertPlan('0 9 * * *', 'UTC'))
  const problems = (cron: string, timeZone: string) => {
    const error = t.throws(() => assertPlan(cron, timeZone))
    return isCoded(error, 'VALIDATION_ERROR') ? { message: error.message, details: error.details ?? [] } : undefined
  }
  const pathsOf = (cron: string, timeZone: string) => problems(cron, timeZone)?.details.map(({ path }) => path)
  t.deepEqual(pathsOf('* *', 'UTC'), ['cron'])
  t.deepEqual(pathsOf('* * * * *', 'Mars'), ['timeZone'])
  t.deepEqual(pathsOf('* *', 'Mars'), ['cron', 'timeZone'])
  const both = problems('* *', 'Mars')
  t.is(both?.message, both?.details.map(({ message }) => message).join(' '))
  t.throws(() => assertPlan(5 as unknown as string, 'UTC'), { instanceOf: TypeError })
})
