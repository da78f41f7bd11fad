import * as v from 'valibot'
import { toCsv, type Cell } from '../../src/csv.ts'
import { field, named, whole } from './documented.ts'
import { ledgerEntryKind, ofGiven, usedPrice } from './ledger-schema.ts'
import { id, time } from './schemas.ts'

const month = field(v.string(), 'The calendar month (UTC)', '2026-11')

export const statementMonth = named('StatementMonth', v.object({ month }), 'A month that has a statement')

const maybeId = (meaning: string) => field(v.nullable(v.string()), meaning, null)

const monthLine = named(
  'StatementLine',
  v.object({
    kind: ledgerEntryKind,
    entries: field(whole, 'How many entries of the ledger it stands for', 12),
    credits: field(whole, 'The sum of them; negative for what was used', -48),
    workspaceId: maybeId('The workspace that has used it'),
    agentId: maybeId('The agent whose steps they are; null for those of chats'),
    agentName: field(v.nullable(v.string()), 'What it is called now; null if it belongs to somebody else', 'Triage'),
    runId: maybeId('Of the statement of an agent: the run'),
    period: field(
      v.nullable(v.string()),
      'Of a grant: the calendar month, or until when the month is paid, and the tier',
      null,
    ),
    paymentId: maybeId('The payment behind it'),
    grantId: maybeId('What was added, has expired, or was taken back with its month'),
    ...ofGiven,
    firstAt: field(time, 'When the first of them was written'),
    lastAt: field(time, 'When the last of them was written'),
  }),
  'Changes of the balance that belong together',
)

const balances = {
  opening: field(whole, 'What there was before the first line', 0),
  closing: field(whole, 'What there is after the last line: `opening` and the credits of all lines', -48),
}

const ofMonth = {
  month,
  opening: balances.opening,
  lines: field(v.array(monthLine), 'By time'),
  closing: balances.closing,
}

export const monthStatement = named('MonthStatement', v.object(ofMonth), 'What changed the balance in a month')

export const agentStatement = named(
  'AgentStatement',
  v.object({ agentId: id, ...ofMonth }),
  'What an agent has used in a month',
)

const tokens = (meaning: string, example: number | null) => field(v.nullable(whole), meaning, example)

const runLine = named(
  'RunStatementLine',
  v.object({
    kind: ledgerEntryKind,
    step: field(whole, 'The number of the step', 1),
    attempt: field(v.nullable(whole), 'Of a failed step: the attempt', null),
    model: field(
      v.nullable(v.string()),
      'The model that answered; null if it failed, or is not kept any more',
      'gpt-5-mini',
    ),
    inputTokens: tokens('What it read; null as the model', 1200),
    cachedTokens: tokens('How much of that its provider had kept', null),
    outputTokens: tokens('What it wrote', 80),
    costUsd: field(
      v.nullable(v.number()),
      'The cost in USD; null if it is unknown, because no price is. 0 is a price of nothing',
      0.0012,
    ),
    price: field(v.nullable(usedPrice), 'The price that was used', null),
    held: tokens('What was held for it while it was under way', 1),
    credits: field(whole, 'What was charged', -1),
    createdAt: time,
  }),
  'A step of a run, or a failed attempt that was billed',
)

export const runStatement = named(
  'RunStatement',
  v.object({
    runId: id,
    opening: balances.opening,
    lines: field(v.array(runLine), 'By step'),
    closing: balances.closing,
  }),
  'What a run has cost',
)

interface Presented<Line> {
  opening: number
  lines: Line[]
  closing: number
}

/** The opening and the closing balance are lines of their own, so that the column of credits adds up. */
function csvOf<Name extends string>(
  columns: readonly Name[],
  statement: Presented<Record<Name, unknown> & { kind: string }>,
) {
  const balance = (kind: string, credits: number) =>
    columns.map((name) => (name === 'kind' ? kind : name === 'credits' ? credits : null))
  return toCsv([
    columns,
    balance('opening', statement.opening),
    ...statement.lines.map((line) => columns.map((name) => line[name] as Cell)),
    balance('closing', statement.closing),
  ])
}

const monthColumns = [
  'kind',
  'credits',
  'entries',
  'agentName',
  'agentId',
  'workspaceId',
  'runId',
  'period',
  'paymentId',
  'grantId',
  'note',
  'expiresAt',
  'firstAt',
  'lastAt',
] as const

export const monthCsv = (statement: v.InferOutput<typeof monthStatement>): string => csvOf(monthColumns, statement)

const runColumns = [
  'kind',
  'credits',
  'step',
  'attempt',
  'model',
  'inputTokens',
  'cachedTokens',
  'outputTokens',
  'costUsd',
  'price',
  'held',
  'createdAt',
] as const

/** The price is one cell, as JSON: which members it has depends on the model. */
export const runCsv = ({ lines, ...statement }: v.InferOutput<typeof runStatement>): string =>
  csvOf(runColumns, {
    ...statement,
    lines: lines.map((line) => ({ ...line, price: line.price && JSON.stringify(line.price) })),
  })
