import * as v from 'valibot'
import { toCsv, type Cell } from '../../src/csv.ts'
import { field, named, whole } from './documented.ts'
import { idOf } from './example-ids.ts'
import { ledgerEntryKind, ofGiven, usedPrice } from './ledger-schema.ts'
import { createdAt, time } from './schemas.ts'

const month = field(v.string(), 'Calendar month (UTC)', '2026-11')

export const statementMonth = named('StatementMonth', v.object({ month }), 'Month with a statement')

const maybeId = (meaning: string) => field(v.nullable(v.string()), meaning, null)

const monthLine = named(
  'StatementLine',
  v.object({
    kind: ledgerEntryKind,
    entries: field(whole, 'Number of ledger entries in this line', 12),
    credits: field(whole, 'Sum of the entries. Negative if credits were used.', -48),
    workspaceId: maybeId('Workspace that used the credits. Null for the account itself.'),
    agentId: maybeId('Agent whose runs used the credits. Null for chats and other entries.'),
    agentName: field(
      v.nullable(v.string()),
      'Current name of the agent. Null if there is no agent or if the agent now has another owner.',
      'Triage',
    ),
    runId: maybeId("Run that used the credits. Null except in an agent's statement."),
    period: field(
      v.nullable(v.string()),
      'Month and tier of a grant: `2026-11/free`, or, for a paid month, its end and tier: `2026-12-15T10:00:00.000Z/pro`. Null for other entries.',
      null,
    ),
    paymentId: maybeId('Payment behind the change. Null if there is none.'),
    grantId: maybeId('Grant that was added, has expired or was taken back. Null for other entries.'),
    ...ofGiven,
    firstAt: field(time, 'When the first entry was written'),
    lastAt: field(time, 'When the last entry was written'),
  }),
  'Balance changes of one kind and source',
)

const balances = {
  opening: field(whole, 'Balance before the first line', 0),
  closing: field(whole, 'Balance after the last line: `opening` plus the credits of all lines', -48),
}

const ofMonth = {
  month,
  opening: balances.opening,
  lines: field(v.array(monthLine), 'Lines, in chronological order'),
  closing: balances.closing,
}

export const monthStatement = named('MonthStatement', v.object(ofMonth), 'Balance changes in a month')

export const agentStatement = named(
  'AgentStatement',
  v.object({ agentId: idOf('agent', 'Id of the agent'), ...ofMonth }),
  'Credits that an agent used in a month',
)

const tokens = (meaning: string, example: number | null) => field(v.nullable(whole), meaning, example)

const runLine = named(
  'RunStatementLine',
  v.object({
    kind: ledgerEntryKind,
    step: field(whole, 'Number of the step in the run', 1),
    attempt: field(v.nullable(whole), 'Attempt number of a failed step. Null for other entries.', null),
    model: field(
      v.nullable(v.string()),
      'AI model that answered. Null if it failed or the record was deleted.',
      'gpt-5-mini',
    ),
    inputTokens: tokens('Tokens read by the model. Null if `model` is null.', 1200),
    cachedTokens: tokens("Part of `inputTokens` that came from the provider's cache. Null if unknown.", null),
    outputTokens: tokens('Tokens written by the model. Null if `model` is null.', 80),
    costUsd: field(v.nullable(v.number()), 'Cost in USD. Null if the price is unknown.', 0.0012),
    price: field(v.nullable(usedPrice), 'Price that was used. Null if unknown.', null),
    held: tokens('Credits reserved for the step. Null if none.', 1),
    credits: field(whole, 'Credits charged, as a negative number', -1),
    createdAt,
  }),
  'Step of a run, or a failed attempt that was billed',
)

export const runStatement = named(
  'RunStatement',
  v.object({
    runId: idOf('run', 'Id of the run'),
    agentVersion: field(
      v.nullable(whole),
      "Number of the agent's version when the run started. Null if the run has not started.",
      7,
    ),
    opening: balances.opening,
    lines: field(v.array(runLine), 'Lines, in step order'),
    closing: balances.closing,
  }),
  'Credits that a run used',
)

interface Presented<Line> {
  opening: number
  lines: Line[]
  closing: number
}

/** The opening and closing balances are lines of their own, so that the credits column adds up. */
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

/** The price is one JSON cell, because its members depend on the model. */
export const runCsv = ({ lines, ...statement }: v.InferOutput<typeof runStatement>): string =>
  csvOf(runColumns, {
    ...statement,
    lines: lines.map((line) => ({ ...line, price: line.price && JSON.stringify(line.price) })),
  })
