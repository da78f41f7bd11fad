import type { Run } from '../run.ts'
import { endReasons, type EndReason } from '../states.ts'

/** Why a run ended, in one sentence. Includes its last failure if the reason alone does not explain it. */
export function errorOf(reason: EndReason, { failure, waitingFor }: Pick<Run, 'failure' | 'waitingFor'>): string {
  const sentence = endReasons[reason]
  if (reason === 'MODEL_ERROR') return failure ?? sentence
  if (reason === 'MODEL_UNAVAILABLE') return failure === null ? sentence : `${failure} ${sentence}`
  const isOfSite = reason === 'SITE_NOT_RECONNECTED' || reason === 'WAITED_TOO_LONG'
  return isOfSite && waitingFor !== null ? `${sentence} The site is ${waitingFor}.` : sentence
}
