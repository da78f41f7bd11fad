import * as v from 'valibot'
import { longestStep } from '../src/billing/sandbox-clock.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { idOf } from './schemas/example-ids.ts'
import { time } from './schemas/schemas.ts'

const accountClock = named(
  'AccountClock',
  v.object({ userId: idOf('user'), now: field(time, "The account's current time") }),
  'Sandbox clock of an account',
)

export const advanceClock = route({
  tag: 'admin',
  access: 'admin',
  name: 'advanceClock',
  audit: { subject: 'clock' },
  method: 'post',
  path: '/admin/users/{userId}/clock',
  summary: "Advance a user's sandbox clock",
  description:
    "Before responding, runs the renewals, payment retries and monthly credit grants that become due as the clock advances. Only this account's " +
    'payments and credits are affected. Runs and schedules keep using the real time. The clock cannot be set back. Fails ' +
    'with `NOT_FOUND` outside the sandbox.',
  body: v.strictObject({
    seconds: field(
      v.pipe(
        v.number('must be a number'),
        v.integer('must be a whole number'),
        v.minValue(1, 'must be at least 1'),
        v.maxValue(longestStep, `must be at most ${longestStep}, which is 62 days`),
      ),
      'Time to advance the clock by, in seconds. The maximum is 62 days.',
      86_400,
    ),
  }),
  status: 200,
  response: accountClock,
  codes: ['NOT_FOUND'],
  async handle({ services, params, body }) {
    return { userId: params.userId, now: await services.sandboxClock.advance(params.userId, body.seconds) }
  },
})
