import type { Billing } from '../../billing/billing.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Move, WaitCause } from '../../../workflows/messages.ts'
import { holdBack, nextMove } from './next-move.ts'
import type { RunRecord } from '../record.ts'
import { readRecord, type RunRef } from '../record.ts'

/** What is next, and what it was decided from. */
export interface Decision {
  record: RunRecord
  move: Move
}

/**
 * Decides what a run does next: the rule of its own record, held back by what its owner has done or can no longer pay.
 * Asked within a transaction that holds the run's lock, the answer is the one that holds. Throws StaleEpochError.
 */
export function createDecide({ clock, config, billing }: { clock: Clock; config: Config; billing: Billing }) {
  async function holdOf(db: Database | Transaction, { run }: RunRecord, move: Move): Promise<WaitCause | undefined> {
    if (move.kind !== 'model' && move.kind !== 'tools') return undefined
    const agent = await db('agents').where({ id: run.agentId }).first<{ pausedAt: Date | null } | undefined>('pausedAt')
    if (agent?.pausedAt) return 'paused'
    // A step costs something, the calls that it asked for do not.
    if (move.kind === 'tools') return undefined
    const { balance } = await billing.account(run.ownerId, isTransaction(db) ? db : undefined)
    return balance < 1 ? 'credits' : undefined
  }

  return async (db: Database | Transaction, ref: RunRef): Promise<Decision> => {
    const record = await readRecord(db, ref)
    const now = clock.now()
    const move = nextMove(record, config.budgets, now)
    const cause = await holdOf(db, record, move)
    return { record, move: cause ? holdBack(record.run, cause, config.budgets, now) : move }
  }
}

export type Decide = ReturnType<typeof createDecide>

const isTransaction = (db: Database | Transaction): db is Transaction => db.isTransaction === true
