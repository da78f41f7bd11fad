interface Deadline {
  /** Fires on timeout, or when one of the given signals fires. */
  signal: AbortSignal
  stopped(): 'timeout' | 'aborted' | undefined
  /** Releases the timer and the listeners. Always call it. */
  clear(): void
}

/** How late a timer of a process that did not stand still may be, and how long reading what arrived takes at most. */
const lateMs = 500

/**
 * Combines a time limit in milliseconds and abort signals into one signal. `AbortSignal.any` does not work here:
 * nothing references its signal, so it may be garbage-collected and never fire. A process that stood still at the limit
 * first reads what arrived meanwhile, which may be the only copy of a token.
 */
export function startDeadline(timeoutMs: number, signals: readonly (AbortSignal | undefined)[]): Deadline {
  const joined = new AbortController()
  let stopped: 'timeout' | 'aborted' | undefined
  const stop = (why: 'timeout' | 'aborted', reason?: unknown) => {
    stopped ??= why
    joined.abort(reason)
  }
  const due = performance.now() + timeoutMs

  function end(): void {
    if (performance.now() - due < lateMs) return stop('timeout')
    // A second time would let a busy process wait for ever.
    timer = setTimeout(() => stop('timeout'), lateMs)
  }

  const given = signals.filter((signal) => signal !== undefined)
  const listening = given.map((signal) => ({ signal, onAbort: () => stop('aborted', signal.reason) }))
  let timer = setTimeout(end, timeoutMs)
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
