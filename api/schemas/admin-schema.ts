import * as v from 'valibot'
import { fieldsOf, type Row } from '../../src/database/row.ts'
import { field, named } from './documented.ts'
import { idOf } from './example-ids.ts'
import { createdAt, tier, time } from './schemas.ts'

const ownLimits = named(
  'OwnLimits',
  v.record(v.string(), v.nullable(v.number())),
  'Limits that an admin has set for the account, by name. Null means unlimited.',
  { agents: 10 },
)

export const adminUser = named(
  'AdminUser',
  v.object({
    id: idOf('user'),
    email: field(v.string(), 'Account email address', 'ada@example.com'),
    emailVerifiedAt: field(v.nullable(time), 'When the address was verified. Null if it has not been verified.', null),
    createdAt,
    admin: field(v.boolean(), 'Whether the user is a platform admin'),
    tier: field(
      v.nullable(tier),
      'Paid tier. Null if the account has not been used yet or if payments are off on this installation.',
      'pro',
    ),
    givenTier: field(v.nullable(tier), 'Tier that an admin has granted. Null if none.', null),
    limits: field(v.nullable(ownLimits), 'Limits that an admin has set. Null if none.', null),
    balance: field(
      v.nullable(v.number()),
      'Remaining credits. Null if the account has not been used yet or if payments are off on this installation.',
      200,
    ),
    suspendedAt: field(v.nullable(time), 'When an admin suspended the account. Null if it is not suspended.', null),
    suspensionReason: field(
      v.nullable(v.string()),
      'Reason shown to the user. Null if the account is not suspended.',
      null,
    ),
    deletionDueAt: field(v.nullable(time), 'When the account will be deleted. Null if no deletion is scheduled.', null),
  }),
  'User account, for admins',
)

export const presentAdminUser = (row: Row) => fieldsOf(row)
