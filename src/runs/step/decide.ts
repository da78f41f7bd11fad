import { Agent } from '../../agents/agent.ts'
import type { Billing } from '../../billing/billing.ts'
import { standingFor, type CapOf } from '../../billing/standing.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Transaction } from '../../database/database.ts'
import { agentCreditsLeft } from '../../owners/months.ts'
import type { Move, WaitCause } from '../../../workflows/messages.ts'
import { readRecord, type RunRecord } from '../record.ts'
import type { Run } from '../run.ts'
import { holdBack, nextMove } from './next-move.ts'

/** The next move, and the record behind it. */
export interface Decision {
  record: RunRecord
  move: Move
  /** The cap that is used up if it waits for credits; null if that is the balance. */
  cap: CapOf | null
}

/** What holds a run back. */
interface Hold {
  cause: WaitCause
  cap: CapOf | null
}

/**
 * Decides what a run does next: by the rule of its record, unless its agent is paused or its owner is out of credits.
 * The run's row is locked, so the answer holds for the rest of the transaction.
 */
export function createDecide({ clock, config, billing }: { clock: Clock; config: Config; billing: Billing }) {
  async function holdOf(trx: Transaction, run: Run, move: Move): Promise<Hold | undefined> {
    if (move.kind !== 'model' && move.kind !== 'tools') return undefined
    const agent = await Agent.query(trx)
      .findById(run.agentId)
      .select('pausedAt', agentCreditsLeft(clock.now()))
      .throwIfNotFound()
    if (agent.pausedAt) return { cause: 'paused', cap: null }
    // A step costs credits; its tool calls do not.
    if (move.kind === 'tools') return undefined
    const { balance, cap } = standingFor(await billing.account(run.ownerId, trx), agent)
    return balance < 1 ? { cause: 'credits', cap } : undefined
  }

  /** @param known the record of the run, if this transaction has just written it */
  return async (trx: Transaction, run: Run, known?: RunRecord): Promise<Decision> => {
    const record = known ?? (await readRecord(trx, run))
    const now = clock.now()
    const move = nextMove(record, config.budgets, now)
    const hold = await holdOf(trx, run, move)
    return { record, cap: hold?.cap ?? null, move: hold ? holdBack(run, hold.cause, config.budgets, now) : move }
  }
}

export type Decide = ReturnType<typeof createDecide>
