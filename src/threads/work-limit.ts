export interface WorkLimitOptions {
  /** The processor time that all other threads of this process have used, in milliseconds. Tests give another one. */
  usedMs?: (() => number) | undefined
}

/** After this many looks, the thread uses no processor time because it hangs. */
const mostLooks = 20

/**
 * A limit on work in a thread, in milliseconds. It ends when that time has passed and the threads of this process have
 * used as much processor time since. One uses no more than all do, so work is not given up because the machine is busy:
 * what strangers send would be refused permanently.
 */
export function startWorkLimit(limitMs: number, { usedMs = processorMs }: WorkLimitOptions = {}) {
  const ending = new AbortController()
  const before = usedMs()
  let looks = 0
  let timer = setTimeout(look, limitMs)

  function look(): void {
    const leftMs = limitMs - (usedMs() - before)
    looks += 1
    if (leftMs <= 0 || looks === mostLooks) ending.abort()
    else timer = setTimeout(look, Math.max(leftMs, limitMs / 10))
  }

  return { signal: ending.signal, clear: () => clearTimeout(timer) }
}

/** The event loop's own thread is no part of it: the others get little beside it, at their lower priority. */
function processorMs(): number {
  const [all, own] = [process.cpuUsage(), process.threadCpuUsage()]
  return (all.user + all.system - own.user - own.system) / 1000
}
