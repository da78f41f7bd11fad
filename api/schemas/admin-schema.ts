import * as v from 'valibot'
import { fieldsOf, type Row } from '../../src/database/row.ts'
import { field, named } from './documented.ts'
import { id, tier, time } from './schemas.ts'

const ownLimits = named(
  'OwnLimits',
  v.record(v.string(), v.nullable(v.number())),
  'The limits that an admin has set for the account, by name; in them, null is any number',
  { agents: 10 },
)

export const adminUser = named(
  'AdminUser',
  v.object({
    id,
    email: field(v.string(), 'The address', 'ada@example.com'),
    emailVerifiedAt: field(v.nullable(time), 'When it was verified', null),
    createdAt: time,
    admin: field(v.boolean(), 'Whether the user operates the platform'),
    tier: field(v.nullable(tier), 'The tier that is paid for; null before the first use, and without payments', 'pro'),
    givenTier: field(v.nullable(tier), 'The tier that an admin has given', null),
    limits: field(v.nullable(ownLimits), 'null for none', null),
    balance: field(
      v.nullable(v.number()),
      'The credits that are left; null before the first use, and without payments',
      200,
    ),
    suspendedAt: field(v.nullable(time), 'Since when an admin keeps the user out', null),
    suspensionReason: field(v.nullable(v.string()), 'Why, for the user', null),
    deletionDueAt: field(v.nullable(time), 'When the account is deleted, if it is to be', null),
  }),
  'An account, for operators',
)

export const presentAdminUser = (row: Row) => fieldsOf(row)
