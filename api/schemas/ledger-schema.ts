import * as v from 'valibot'
import { ledgerEntryKinds } from '../../src/billing/ledger-entry.ts'
import { field, freeObject, named, whole } from './documented.ts'
import { id, time } from './schemas.ts'

export const usedPrice = freeObject('UsedPrice', 'A price in USD per million tokens, and its source', {
  source: 'genai-prices',
  input: 0.25,
  output: 2,
  cacheRead: 0.025,
  cacheWrite: 0.25,
})

export const ledgerEntryKind = named(
  'LedgerEntryKind',
  v.picklist(ledgerEntryKinds, `must be one of ${ledgerEntryKinds.join(', ')}`),
  'grant: the credits of a month · purchase: bought · top_up: bought by itself, because few were left · promotion: given by an operator · ' +
    'expiry: what was left of credits whose time is over · refund: taken back, with a purchase or a month that was paid back, or as the ' +
    'share of a month’s credits that is left when the month of a subscription is left early · reinstated: given again, because a payment ' +
    'that was paid back was paid all the same: a dispute was won, or a refund has failed · step: what a step cost · ' +
    'failed_step: what a failed attempt at a step cost, because the provider billed it · chat_step: what a step of an answer in a chat cost',
  'step',
)

const drawn = freeObject('DrawnCredits', 'Credits by the grant that they were taken from', {
  '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a30': 1,
})

const maybe = (meaning: string, example: string | null = null) => field(v.nullable(v.string()), meaning, example)

/** What an admin has said of credits that were given. */
export const ofGiven = {
  note: maybe('Of a promotion: why it was given; null for all else'),
  expiresAt: field(
    v.nullable(time),
    'Of a promotion: when what is left of it is taken back; null for never, and for all else',
    null,
  ),
}

export const ledgerEntry = named(
  'LedgerEntry',
  v.object({
    id,
    kind: ledgerEntryKind,
    credits: field(whole, 'The change; negative for what was used, and 0 for a step where there are no payments', -1),
    balanceAfter: field(v.nullable(whole), 'The balance after it; null in the list of a workspace', 4980),
    period: maybe('Of a grant: the calendar month, or until when the month is paid, and the tier'),
    grantId: maybe('What was added, has expired, or was taken back with its month'),
    paymentId: maybe('The payment behind it'),
    ...ofGiven,
    workspaceId: maybe('The workspace that has used it; null if it was the account itself'),
    agentId: maybe('Of a step of a run: its agent', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a12'),
    runId: maybe('Of a step: its run', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10'),
    answerId: maybe('Of a step of a chat: its answer'),
    step: field(v.nullable(whole), 'Of a step: its number', 1),
    attempt: field(v.nullable(whole), 'Of a failed step: the attempt', null),
    held: field(v.nullable(whole), 'Of a step: what was held for it while it was under way', 1),
    drawn: field(
      v.nullable(drawn),
      'Of a step: what it was taken from; less than its credits if the rest is a debt, and null in the list of a workspace',
    ),
    tokens: field(v.nullable(whole), 'Of a step: the tokens that its model has read and written', 1850),
    costUsd: field(
      v.nullable(v.number()),
      'Of a step: its cost in USD; null if it is unknown, because no price is, and for all else. 0 is a price of nothing',
      0.0012,
    ),
    price: field(v.nullable(usedPrice), 'Of a step: the price that was used', null),
    createdAt: time,
  }),
  'A change of the credit balance',
)
