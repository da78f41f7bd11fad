import * as v from 'valibot'
import { fieldsOf } from '../src/database/row.ts'
import { idempotencyKeyOf } from '../src/webhooks/delivery-identity.ts'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { instant } from './schemas/instant.ts'
import { id, ownerId, text, time } from './schemas/schemas.ts'

const meanings = {
  credits: 'The number of credits',
  priority:
    'The order of use, lowest first. By default, given credits have 0; monthly credits have 10 and bought credits 20.',
  note: 'The reason, for people',
} as const

const grant = named(
  'CreditGrant',
  v.object({
    id,
    ownerId,
    credits: field(whole, meanings.credits, 100),
    remaining: field(whole, 'The credits that are left, after any debt was paid', 100),
    priority: field(whole, meanings.priority, 0),
    expiresAt: field(v.nullable(time), 'When the remaining credits expire; null for never', null),
    note: field(v.nullable(v.string()), meanings.note, 'For the trouble on Monday.'),
    createdAt: time,
  }),
  'A grant of credits',
)

const until = 'When the remaining credits expire (RFC 3339), by the clock of the account; null or absent for never'

export const giveCredits = route({
  tag: 'admin',
  access: 'admin',
  name: 'giveCredits',
  needsPayments: true,
  audit: { subject: 'grant' },
  method: 'post',
  path: '/admin/users/{userId}/credits',
  summary: 'Give credits to a user',
  description: 'The credits pay off a debt first. See [Accounts](/docs/operate/accounts).',
  headers: { 'Idempotency-Key': 'A key for this request. A repeat with the same key gives nothing more.' },
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
