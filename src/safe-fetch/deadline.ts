interface Deadline {
  /** Fires on timeout, or when one of the given signals fires. */
  signal: AbortSignal
  stopped(): 'timeout' | 'aborted' | undefined
  /** Releases the timer and the listeners. Always call it. */
  clear(): void
}

/**
 * Combines a time limit in milliseconds and abort signals into one signal. `AbortSignal.any` does not work here:
 * nothing references its signal, so it may be garbage-collected and never fire.
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
