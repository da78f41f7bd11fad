import type { CallbackAttempt } from './callback-attempt.ts'
import type { Callback } from './callback.ts'

/**
 * Why a callback was given up, for its owner: what came of its latest attempt, or that there was none. null unless it
 * was given up. `latest` is the attempt on record with the highest number, which may be one from before a retry.
 */
export function failureOf(
  { status, attempts, tries }: Pick<Callback, 'status' | 'attempts' | 'tries'>,
  latest: Pick<CallbackAttempt, 'attempt' | 'outcome'> | undefined,
): string | null {
  if (status !== 'failed') return null
  if (tries === 0) return 'No attempt was made before its time was up, because no worker had room for one until then.'
  if (latest && latest.attempt > attempts - tries) return latest.outcome
  return 'What came of the attempts is not known, because the processes that made them died.'
}
