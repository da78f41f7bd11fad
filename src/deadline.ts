export interface Deadline {
  /** Fires when the time is over or one of the given signals fires. */
  signal: AbortSignal
  /** Which of the two happened, if one did. */
  stopped(): 'timeout' | 'aborted' | undefined
  /** Releases the timer; to be called in every case. */
  clear(): void
}

/** Joins a time limit in milliseconds and the signals of those who may lose interest into one signal. */
export function startDeadline(timeoutMs: number, signals: readonly (AbortSignal | undefined)[]): Deadline {
  const time = new AbortController()
  const timer = setTimeout(() => time.abort(), timeoutMs)
  const signal = AbortSignal.any([time.signal, ...signals.filter((given) => given !== undefined)])
  return {
    signal,
    stopped: () => (signal.aborted ? (signal.reason === time.signal.reason ? 'timeout' : 'aborted') : undefined),
    clear: () => clearTimeout(timer),
  }
}
