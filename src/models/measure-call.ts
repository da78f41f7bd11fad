import type { Metrics } from '../metrics/metrics.ts'
import type { OnWords } from './collect-answer.ts'

export type CallMetrics = Pick<Metrics, 'modelRequests' | 'modelSeconds' | 'firstTokenSeconds'>

/** Measures one model call from now on. */
export function startMeasuring(metrics: CallMetrics | undefined, labels: { provider: string; model: string }) {
  const began = performance.now()
  const seconds = (): number => (performance.now() - began) / 1000
  let hasBegun = false
  return {
    /** Takes the words of the answer, and notes when the first come. */
    heard: (onWords: OnWords | undefined): OnWords | undefined =>
      onWords &&
      ((text) => {
        if (!hasBegun) metrics?.firstTokenSeconds.observe(labels, seconds())
        hasBegun = true
        return onWords(text)
      }),

    end(outcome: 'answered' | 'failed' | 'given_up'): void {
      metrics?.modelRequests.inc({ ...labels, outcome })
      if (outcome !== 'given_up') metrics?.modelSeconds.observe(labels, seconds())
    },
  }
}
