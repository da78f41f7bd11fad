import * as v from 'valibot'
import { fieldsOf } from '../src/database/row.ts'
import { idempotencyKeyOf } from '../src/webhooks/delivery-identity.ts'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { instant } from './schemas/instant.ts'
import { idOf } from './schemas/example-ids.ts'
import { ownerId, text, time } from './schemas/schemas.ts'

const meanings = {
  credits: 'Number of credits',
  priority:
    'Order of use, lowest first. By default, 0 for credits given by an admin, 10 for monthly credits, and 20 for purchased credits.',
  note: 'Human-readable reason for the grant',
} as const

const grant = named(
  'CreditGrant',
  v.object({
    id: idOf('grant'),
    ownerId,
    credits: field(whole, meanings.credits, 100),
    remaining: field(whole, 'Credits that remain after any debt is covered', 100),
    priority: field(whole, meanings.priority, 0),
    expiresAt: field(v.nullable(time), 'When the remaining credits expire, or null if they never do', null),
    note: field(v.nullable(v.string()), meanings.note, "For Monday's outage."),
    createdAt: time,
  }),
  'Credit grant',
)

const until =
  "When the remaining credits expire (RFC 3339), by the account's clock. If this is null or absent, the credits never expire."

export const giveCredits = route({
  tag: 'admin',
  access: 'admin',
  name: 'giveCredits',
  needsPayments: true,
  audit: { subject: 'grant' },
  method: 'post',
  path: '/admin/users/{userId}/credits',
  summary: 'Give credits to a user',
  description:
    'If the account owes credits, the new credits are applied to that debt first. See [Accounts](/docs/operate/accounts).',
  headers: {
    'Idempotency-Key': 'Key for this request. A repeated request with the same key does not grant more credits.',
  },
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
    note: field(text(500), meanings.note, "For Monday's outage."),
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
