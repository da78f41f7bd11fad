interface Deadline {
  /** Fires when the time is over or one of the given signals fires. */
  signal: AbortSignal
  /** Which of the two happened, if one did. */
  stopped(): 'timeout' | 'aborted' | undefined
  /** Releases the timer and the given signals; to be called in every case. */
  clear(): void
}

/**
 * Joins a time limit in milliseconds and the signals of those who may lose interest into one signal. By hand, because a
 * signal made by `AbortSignal.any` is held by nobody: once the garbage collector has found it, it never fires.
 */
export function startDeadline(timeoutMs: number, signals: readonly (AbortSignal | undefined)[]): Deadline {
  const joined = new AbortController()
  let stopped: 'timeout' | 'aborted' | undefined
  const stop = (why: 'timeout' | 'aborted', reason?: unknown) => {
    stopped ??= why
    joined.abort(reason)
  }
  const given = signals.filter((signal) => signal !== undefined)
  const listening = given.map((signal) => ({ signal, onAbort: () => stop('aborted', signal.reason) }))
  const timer = setTimeout(() => stop('timeout'), timeoutMs)
  for (const { signal, onAbort } of listening) {
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  }
  return {
    signal: joined.signal,
    stopped: () => stopped,
    clear: () => {
      clearTimeout(timer)
      for (const { signal, onAbort } of listening) signal.removeEventListener('abort', onAbort)
    },
  }
}
