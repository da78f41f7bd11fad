/** How often the event loop is sampled, in milliseconds. */
const everyMs = 10

/** The longest turn: how late it came, and the processor time that it used, in milliseconds. */
interface LongestTurn {
  maxMs: number
  cpuMs: number
}

/**
 * Watches the event loop of this thread from now on. `take` returns the longest turn since it was last taken, which
 * delayed every request of this process. `cpuMs` is processor time, which other programs on the machine do not affect.
 */
export function watchEventLoop(): { take: () => LongestTurn } {
  let longest: LongestTurn = { maxMs: 0, cpuMs: 0 }
  let [last, used] = [performance.now(), cpuMs()]
  setInterval(() => {
    const [now, cpu] = [performance.now(), cpuMs()]
    longest = { maxMs: Math.max(longest.maxMs, now - last - everyMs), cpuMs: Math.max(longest.cpuMs, cpu - used) }
    ;[last, used] = [now, cpu]
  }, everyMs).unref()
  return {
    take() {
      const taken = longest
      longest = { maxMs: 0, cpuMs: 0 }
      return taken
    },
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
