/** The parts of the way of a delivery, in order; and what the canary does not pass: a process, or one of its loops. */
export type Stage = 'accept' | 'queue' | 'run' | 'callback' | 'process' | 'loop'

/** The latest attempt, and what became of its run and its callback. */
export interface LatestAttempt {
  refusal: string | null
  acceptedAt: Date | null
  runStatus: string | null
  runError: string | null
  /** What the latest attempt to post the callback led to, if there was one. */
  callbackOutcome: string | null
}

/** Where an attempt without success has come to, and why, in a sentence. */
export function stageOf(attempt: LatestAttempt | undefined): { stage: Stage; message: string } {
  if (attempt === undefined) return { stage: 'accept', message: 'No process sends it: the loop "canary" runs nowhere.' }
  const { refusal, acceptedAt, runStatus, runError, callbackOutcome } = attempt
  if (acceptedAt === null) return { stage: 'accept', message: refusal ?? 'The API has not answered it.' }
  if (runStatus === 'queued') return { stage: 'queue', message: 'It was accepted, and no worker has started its run.' }
  if (runStatus === 'running' || runStatus === 'waiting')
    return { stage: 'run', message: 'Its run has started, and has not ended.' }
  if (runStatus !== 'completed')
    return { stage: 'run', message: runError ?? `Its run ended with the status ${runStatus ?? 'unknown'}.` }
  return { stage: 'callback', message: callbackOutcome ?? 'Its run has ended, and no worker has posted its callback.' }
}
