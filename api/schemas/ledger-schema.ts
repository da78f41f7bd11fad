import * as v from 'valibot'
import { ledgerEntryKinds } from '../../src/billing/ledger-entry.ts'
import { field, freeObject, named, whole } from './documented.ts'
import { exampleIds, idOf } from './example-ids.ts'
import { createdAt, time } from './schemas.ts'

export const usedPrice = freeObject('UsedPrice', 'Price in USD per million tokens, and its source', {
  source: 'genai-prices',
  input: 0.25,
  output: 2,
  cacheRead: 0.025,
  cacheWrite: 0.25,
})

export const ledgerEntryKind = named(
  'LedgerEntryKind',
  v.picklist(ledgerEntryKinds, `must be one of ${ledgerEntryKinds.join(', ')}`),
  '`grant`: monthly credits. `purchase`: bought. `top_up`: bought automatically. `promotion`: given by an admin. ' +
    '`expiry`: expired credits. `refund`: taken back because a payment was refunded, or because a subscription month ' +
    'ended early. `reinstated`: returned after a dispute was won or a refund failed. `step`: charged for a step. ' +
    '`failed_step`: charged for a failed attempt that the provider billed. `chat_step`: charged for a step of a chat answer.',
  'step',
)

const drawn = freeObject('DrawnCredits', 'Credits, by the grant that they were taken from', {
  [exampleIds.grant]: 1,
})

const maybe = (meaning: string, example: string | null = null) => field(v.nullable(v.string()), meaning, example)

/** The fields that an admin sets for a promotion. */
export const ofGiven = {
  note: maybe('Reason for a promotion. Null for other entries.'),
  expiresAt: field(
    v.nullable(time),
    'When the remaining promotional credits expire. Null if they never expire. Also null for other entries.',
    null,
  ),
}

export const ledgerEntry = named(
  'LedgerEntry',
  v.object({
    id: idOf('ledgerEntry'),
    kind: ledgerEntryKind,
    credits: field(
      whole,
      'Change in the balance. Negative if credits were used. 0 for a step if payments are off on this installation.',
      -1,
    ),
    balanceAfter: field(v.nullable(whole), "Balance after the change. Null in a workspace's list.", 4980),
    period: maybe(
      'Month and tier of a grant: `2026-11/free`, or, for a paid month, its end and tier: `2026-12-15T10:00:00.000Z/pro`. Null for other entries.',
    ),
    grantId: maybe('Grant that was added, has expired or was taken back. Null for other entries.'),
    paymentId: maybe('Payment behind the change. Null if there is none.'),
    ...ofGiven,
    workspaceId: maybe('Workspace that used the credits. Null for the account itself.'),
    agentId: maybe('Agent whose run used the credits. Null for other entries.', exampleIds.agent),
    runId: maybe('Run that used the credits. Null for other entries.', exampleIds.run),
    answerId: maybe('Chat answer that used the credits. Null for other entries.'),
    step: field(v.nullable(whole), 'Number of the charged step. Null for other entries.', 1),
    attempt: field(v.nullable(whole), 'Attempt number of a failed step. Null for other entries.', null),
    held: field(v.nullable(whole), 'Credits reserved for the step. Null for other entries.', 1),
    drawn: field(
      v.nullable(drawn),
      "Credits charged for a step, by grant. The rest, if any, is debt. Null for other entries, and in a workspace's list.",
    ),
    tokens: field(v.nullable(whole), 'Tokens read and written by the model. Null for other entries.', 1850),
    costUsd: field(
      v.nullable(v.number()),
      'Cost in USD. Null if the price is unknown. Also null for other entries.',
      0.0012,
    ),
    price: field(v.nullable(usedPrice), 'Price that was used. Null if unknown. Also null for other entries.', null),
    createdAt,
  }),
  'Change in the credit balance',
)
