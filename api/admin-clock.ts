import * as v from 'valibot'
import { longestStep } from '../src/billing/sandbox-clock.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { id, time } from './schemas/schemas.ts'

const accountClock = named(
  'AccountClock',
  v.object({ userId: id, now: field(time, 'The current time of the account') }),
  'The clock of an account in the sandbox',
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
    'Runs the renewals, payment retries and monthly credits of that time before it responds. Only the payments and ' +
    'credits of this account are affected: runs and schedules keep the real time. The clock cannot go back. Fails ' +
    'with `NOT_FOUND` outside the sandbox.',
  body: v.strictObject({
    seconds: field(
      v.pipe(
        v.number('must be a number'),
        v.integer('must be a whole number'),
        v.minValue(1, 'must be at least 1'),
        v.maxValue(longestStep, `must be at most ${longestStep}, which is 62 days`),
      ),
      'The number of seconds to advance, at most 62 days',
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
