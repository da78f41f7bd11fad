export interface WorkLimitOptions {
  /** The processor time that this process has used, in milliseconds. Tests give another one. */
  usedMs?: (() => number) | undefined
}

/** After this many looks, the thread uses no processor time because it hangs. */
const mostLooks = 20

/**
 * A limit on work in a thread, in milliseconds. It ends when that time has passed and this process has used as much
 * processor time since. No thread uses more than its process does, so work is not given up because the machine is
 * busy: what strangers send would be refused permanently.
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

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
