import type { Clock } from '../../clock.ts'
import type { Transaction } from '../../database/database.ts'
import { usableModel } from '../../loop/after-failure.ts'
import type { Loop } from '../../loop/loop.ts'
import type { Outages } from '../../outages/outages.ts'
import { latestPrompt } from '../run-input.ts'
import type { Run } from '../run.ts'

/** Why a run may not ask its model now. */
export interface ModelTrouble {
  model: string
  /** A sentence of the platform. */
  message: string
  since: Date
  /** When the run asks again by itself; null if that depends on the model's outage. */
  until: Date | null
  /** The outage, unless the model fails this run alone. */
  outageId: string | null
}

/** A model that the run asks from now on instead of the one that is out, and what is wrong with that. */
export interface OtherModel {
  from: string
  to: string
  /** Whether it is the agent's fallback model; otherwise the run returns to its own. */
  isFallback: boolean
  message: string
}

export type AccountStatus = { trouble: ModelTrouble } | { other: OtherModel } | undefined

/** Looks at what keeps a run, whose row is locked, from asking its model. While nothing is out, that costs no query. */
export function createModelStanding(context: {
  clock: Clock
  loop: Pick<Loop, 'defaultModel'>
  outages: Pick<Outages, 'of' | 'areKnown'>
}) {
  const { clock, loop, outages } = context

  return async (trx: Transaction, run: Run): Promise<AccountStatus> => {
    if (!outages.areKnown() && run.modelRetryAt === null) return undefined
    const { model, other, isFallback } = await modelsOf(trx, run, loop.defaultModel)
    const outage = await outages.of(trx, model)
    if (!outage) return ownTrouble(run, model, clock.now())
    const { id: outageId, message, beganAt: since } = outage
    const to = await usableModel(outages, trx, other)
    if (to !== undefined) return { other: { from: model, to, isFallback, message } }
    return { trouble: { model, message, since, until: null, outageId } }
  }
}

export type ModelState = ReturnType<typeof createModelStanding>

/**
 * The model that the run asks, and the one that it may ask instead: the fallback model, or its own again if that was left
 * only because it was out. A model that has refused the run's prompt is not asked again.
 */
async function modelsOf(trx: Transaction, run: Run, defaultModel: string) {
  const { agentId, sequence, fallbackSince, ownModelWasOut } = run
  const prompt = await latestPrompt(trx, agentId).where('sinceSequence', '<=', sequence)
  const own = prompt?.model ?? defaultModel
  const fallback = prompt?.fallbackModel ?? undefined
  if (fallbackSince !== null && fallback !== undefined) {
    return { model: fallback, other: ownModelWasOut ? own : undefined, isFallback: false }
  }
  return { model: own, other: fallback === own ? undefined : fallback, isFallback: true }
}

function ownTrouble({ failure, modelFailingSince, modelRetryAt }: Run, model: string, now: Date): AccountStatus {
  if (modelRetryAt === null || modelRetryAt <= now) return undefined
  const trouble = {
    model,
    message: failure ?? '',
    since: modelFailingSince ?? now,
    until: modelRetryAt,
    outageId: null,
  }
  return { trouble }
}
