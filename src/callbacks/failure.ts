import type { CallbackAttempt } from './callback-attempt.ts'
import type { Callback } from './callback.ts'

/**
 * Why a callback was given up, for its owner: the outcome of its latest attempt, or that there was none. null unless it
 * was given up. `latest` is the recorded attempt with the highest number, possibly from before a manual retry.
 */
export function failureOf(
  { status, attempts, tries }: Pick<Callback, 'status' | 'attempts' | 'tries'>,
  latest: Pick<CallbackAttempt, 'attempt' | 'outcome'> | undefined,
): string | null {
  if (status !== 'failed') return null
  if (tries === 0) return 'No attempt was made in time because no worker had capacity.'
  if (latest && latest.attempt > attempts - tries) return latest.outcome
  return 'The outcome of the attempts is unknown because the processes that made them crashed.'
}
