import type { Clock } from '../../clock.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { assertThat } from '../../errors.ts'
import type { Account } from '../account.ts'
import type { LedgerEntryKind } from '../ledger-entry.ts'
import { timeOf } from '../account-status.ts'
import { monthOf, monthStart } from './forecast.ts'
import { entriesIn } from './list-ledger.ts'
import {
  accountLines,
  agentLines,
  firstStatement,
  openingStatement,
  runLines,
  workspaceLines,
} from './statement-lines.ts'

/** One line of usage or additions. */
export interface MonthLine {
  kind: LedgerEntryKind
  /** The number of ledger entries behind the line. */
  entries: number
  credits: number
  workspaceId: string | null
  agentId: string | null
  agentName: string | null
  runId: string | null
  period: string | null
  paymentId: string | null
  grantId: string | null
  /** For given credits: the reason and the expiry. */
  note: string | null
  expiresAt: Date | null
  firstAt: Date
  lastAt: Date
}

export interface RunLine {
  kind: LedgerEntryKind
  step: number
  attempt: number | null
  model: string | null
  inputTokens: number | null
  cachedTokens: number | null
  outputTokens: number | null
  costNanoUsd: number | null
  price: Record<string, unknown> | null
  held: number | null
  credits: number
  createdAt: Date
}

/** `opening` plus the credits of all lines is `closing`. */
export interface Statement<Line> {
  opening: number
  lines: Line[]
  closing: number
}

interface Month {
  month: string
  start: Date
  end: Date
}

/** Reads one consistent snapshot. */
const snapshot = { isolationLevel: 'repeatable read', readOnly: true } as const

/**
 * Statements from the ledger: for a run, an agent's month, or an owner's month. They are computed on request. Past
 * months no longer change. Only an account has a balance, so other statements open at 0.
 */
export function createStatements(context: {
  database: Database
  clock: Clock
  credits: { current: (ownerId: string) => Promise<Account> }
}) {
  const { database, clock, credits } = context

  /** NOT_FOUND for an invalid month or a future one. */
  function monthIn(account: Account, month: string): Month {
    const message = 'There is no statement for this month. Request a month that has started, such as 2026-11.'
    assertThat(/^[1-9]\d{3}-(0[1-9]|1[0-2])$/.test(month), 'NOT_FOUND', { message })
    const start = new Date(`${month}-01T00:00:00.000Z`)
    assertThat(start <= timeOf(account, clock.now()), 'NOT_FOUND', { message })
    return { month, start, end: monthStart(start, 1) }
  }

  const bindingsOf = (account: Account, { start, end }: Month) => {
    const { from, before } = entriesIn(account, { since: start, until: end })
    return { start, end, from, before, atMost: maxLines }
  }

  async function openingOf(trx: Transaction, account: Account, month: Month): Promise<number> {
    const { from, start } = bindingsOf(account, month)
    const bindings = { ownerId: account.ownerId, from, start }
    const { rows } = await trx.raw<{ rows: { opening: number }[] }>(openingStatement, bindings)
    return rows[0]?.opening ?? 0
  }

  return {
    /** The months with statements, latest first. */
    async months(ownerId: string): Promise<string[]> {
      const account = await credits.current(ownerId)
      const { rows } = await database.raw<{ rows: { at: Date }[] }>(firstStatement(account.ownerId === ownerId), {
        ownerId,
      })
      const now = timeOf(account, clock.now())
      return rows[0] ? monthsBetween(rows[0].at, now) : []
    },

    /** The changes of an account's balance in a month; for a workspace, its usage. NOT_FOUND (the month). */
    async ofMonth(ownerId: string, name: string): Promise<Statement<MonthLine> & { month: string }> {
      const account = await credits.current(ownerId)
      const month = monthIn(account, name)
      const isAccount = account.ownerId === ownerId
      return database.transaction(async (trx) => {
        const opening = isAccount ? await openingOf(trx, account, month) : 0
        const bindings = { ...bindingsOf(account, month), ownerId }
        const { rows } = await trx.raw<{ rows: MonthLine[] }>(isAccount ? accountLines : workspaceLines, bindings)
        return { month: name, ...added(opening, rows) }
      }, snapshot)
    },

    /** An agent's usage in a month for its current owner, one line per run. NOT_FOUND (the month). */
    async ofAgent(agent: { id: string; ownerId: string }, name: string) {
      const { id: agentId, ownerId } = agent
      const account = await credits.current(ownerId)
      const bindings = { ...bindingsOf(account, monthIn(account, name)), agentId, ownerId }
      const { rows } = await database.raw<{ rows: MonthLine[] }>(agentLines, bindings)
      return { month: name, agentId, ...added(0, rows) }
    },

    /** A run's usage: one line per step and per billed failed attempt. */
    async ofRun(run: { id: string; agentVersion: number | null }) {
      const { rows } = await database.raw<{ rows: RunLine[] }>(runLines, { runId: run.id })
      return { runId: run.id, agentVersion: run.agentVersion, ...added(0, rows) }
    },
  }
}

/**
 * The most lines of a statement: the largest ones, and one per kind for the rest. A run's statement never reaches it.
 */
export const maxLines = 1000

function added<Line extends { credits: number }>(opening: number, lines: Line[]): Statement<Line> {
  return { opening, lines, closing: lines.reduce((sum, { credits }) => sum + credits, opening) }
}

function monthsBetween(first: Date, last: Date): string[] {
  const months: string[] = []
  for (let at = monthStart(last); at >= monthStart(first); at = monthStart(at, -1)) months.push(monthOf(at))
  return months
}
