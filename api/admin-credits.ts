import * as v from 'valibot'
import { fieldsOf } from '../src/database/row.ts'
import { idempotencyKeyOf } from '../src/webhooks/identity.ts'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { instant } from './schemas/instant.ts'
import { id, ownerId, text, time } from './schemas/schemas.ts'

const meanings = {
  credits: 'How many credits',
  priority:
    'Which credits are used first: those with the lowest number. Given ones have 0, monthly ones 10, bought ones 20',
  note: 'Why, for people',
} as const

const grant = named(
  'CreditGrant',
  v.object({
    id,
    ownerId,
    credits: field(whole, meanings.credits, 100),
    remaining: field(whole, 'How many are left: fewer if they have paid a debt', 100),
    priority: field(whole, meanings.priority, 0),
    expiresAt: field(v.nullable(time), 'When what is left is taken back; null for never', null),
    note: field(v.nullable(v.string()), meanings.note, 'For the trouble on Monday.'),
    createdAt: time,
  }),
  'Credits that were given together',
)

const until = 'When what is left is taken back (RFC 3339), by the clock of the account; null or absent for never'

export const giveCredits = route({
  tag: 'admin',
  access: 'admin',
  name: 'giveCredits',
  needsPayments: true,
  audit: { subject: 'grant' },
  method: 'post',
  path: '/admin/users/{userId}/credits',
  summary: 'Give credits to a user',
  description: 'They pay a debt first. With `Idempotency-Key`, a repeated request gives nothing more.',
  headers: { 'Idempotency-Key': 'Names the request; repeating it under the same key gives nothing more' },
  body: v.strictObject({
    credits: field(
      v.pipe(whole, v.minValue(1, 'must be at least 1'), v.maxValue(1e9, 'must be at most 10⁹')),
      meanings.credits,
      100,
    ),
    expiresAt: v.optional(field(v.nullable(v.unwrap(instant(until))), until, null)),
    priority: v.optional(
      field(
        v.pipe(whole, v.minValue(0, 'must be at least 0'), v.maxValue(100, 'must be at most 100')),
        meanings.priority,
        0,
      ),
    ),
    note: field(text(500), meanings.note, 'For the trouble on Monday.'),
  }),
  status: 201,
  response: grant,
  codes: ['NOT_FOUND'],
  async handle({ services, params, body, request }) {
    const { credits, expiresAt, priority, note } = body
    const given = { credits, expiresAt: expiresAt ?? null, priority, note }
    return fieldsOf(await services.billing.promotions.give(params.userId, given, idempotencyKeyOf(request.header)))
  },
})
