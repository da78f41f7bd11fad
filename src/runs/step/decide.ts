import type { Agent } from '../../agents/agent.ts'
import type { Billing } from '../../billing/billing.ts'
import { agentAccountStatus, type CapOf } from '../../billing/account-status.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Transaction } from '../../database/database.ts'
import { statement } from '../../database/statement.ts'
import { leftOfAgent } from '../../owners/workspace-months.ts'
import type { Move, WaitCause } from '../../../workflows/messages.ts'
import { readRecord, type RunRecord } from '../record.ts'
import type { Run } from '../run.ts'
import { hasEnded } from '../states.ts'
import type { ModelState, ModelTrouble, OtherModel } from './model-trouble.ts'
import { holdBack, nextMove } from './next-move.ts'

/** The next move, and the record behind it. */
export interface Decision {
  record: RunRecord
  move: Move
  /** The cap that is used up if it waits for credits; null if that is the balance. */
  cap: CapOf | null
  /** What is wrong with its model, if it waits for that. */
  trouble?: ModelTrouble | undefined
  /** The model that it asks from this step on, because its own is out. */
  other?: OtherModel | undefined
}

/** What holds a run back. */
interface Hold {
  cause: WaitCause
  cap?: CapOf | null
  trouble?: ModelTrouble
}

/**
 * Decides what a run does next: by the rule of its record, unless its agent is paused, its owner is out of credits, or
 * its model is out. The run's row is locked, so the answer holds for the rest of the transaction.
 */
export function createDecide(context: { clock: Clock; config: Config; billing: Billing; modelStanding: ModelState }) {
  const { clock, config, billing, modelStanding } = context

  async function holdOf(trx: Transaction, run: Run, move: Move): Promise<Hold | undefined> {
    const fails = move.kind === 'end' && move.status === 'failed' && !hasEnded(run.status) && !run.cancelRequestedAt
    if (move.kind !== 'model' && move.kind !== 'tools' && !fails) return undefined
    const { rows } = await agentStatement(trx, { agentId: run.agentId, now: clock.now() })
    const [agent] = rows
    if (!agent) throw new Error('a run has no agent')
    // After a restore of the database, nothing about a run is decided before somebody has decided to resume it.
    if (agent.pausedAt && (!fails || agent.pausedReason === 'RESTORED')) return { cause: 'paused' }
    if (fails) return undefined
    // A step costs credits; its tool calls do not.
    if (move.kind === 'tools') return undefined
    const { balance, cap } = agentAccountStatus(await billing.account(run.ownerId, trx), agent)
    return balance < 1 ? { cause: 'credits', cap } : undefined
  }

  /** A model that is out is not asked: another one is, or the run waits. */
  async function accountStatusOf(trx: Transaction, run: Run, move: Move): Promise<{ hold?: Hold; other?: OtherModel }> {
    const hold = await holdOf(trx, run, move)
    if (hold) return { hold }
    const standing = move.kind === 'model' ? await modelStanding(trx, run) : undefined
    if (!standing) return {}
    return 'other' in standing ? standing : { hold: { cause: 'model', trouble: standing.trouble } }
  }

  /** @param known the record of the run, if this transaction has just written it */
  return async (trx: Transaction, run: Run, known?: RunRecord): Promise<Decision> => {
    const record = known ?? (await readRecord(trx, run))
    const now = clock.now()
    const move = nextMove(record, config.budgets, now)
    const { hold, other } = await accountStatusOf(trx, run, move)
    const { cap = null, trouble } = hold ?? {}
    return { record, cap, trouble, other, move: hold ? holdBack(run, hold, config.budgets, now) : move }
  }
}

const agentStatement = statement<Pick<Agent, 'pausedAt' | 'pausedReason' | 'creditsLeft'>>(`
  select paused_at as "pausedAt", paused_reason as "pausedReason", ${leftOfAgent} as "creditsLeft" from agents where id = :agentId`)
