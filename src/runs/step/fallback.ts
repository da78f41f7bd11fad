import type { Transaction } from '../../database/database.ts'
import { latestPrompt } from '../run-input.ts'
import type { Run } from '../run.ts'

/** The model that the run's agent named in case its own fails; undefined if there is none, or if that is what failed. */
export async function fallbackOf(trx: Transaction, run: Run, asked: string): Promise<string | undefined> {
  const prompt = await latestPrompt(trx, run.agentId).where('sinceSequence', '<=', run.sequence)
  const other = prompt?.fallbackModel ?? undefined
  return other === asked ? undefined : other
}

/** The event that another model is asked from a step on; none if there is no other. */
export const changeOfModel = ({ to, ...from }: { step: number; from: string; to: string | undefined; note: string }) =>
  to === undefined ? [] : [{ kind: 'model.changed' as const, data: { ...from, to } }]
