import type { Logger } from '../src/logger.ts'

/** How often the event loop is sampled, in milliseconds. */
const everyMs = 10

/**
 * Watches the event loop after the first SIGUSR2. Each later SIGUSR2 logs the longest delay since the previous one,
 * which delayed every request of this process. `cpuMs` is the processor time of the longest turn, which other programs
 * on the machine do not affect.
 */
export function reportEventLoop(logger: Logger): void {
  let longest: { maxMs: number; cpuMs: number } | undefined
  process.on('SIGUSR2', () => {
    if (!longest)
      watch((late, cpu) => {
        longest = { maxMs: Math.max(longest?.maxMs ?? 0, late), cpuMs: Math.max(longest?.cpuMs ?? 0, cpu) }
      })
    logger.info({ maxMs: Math.round(longest?.maxMs ?? 0), cpuMs: Math.round(longest?.cpuMs ?? 0) }, 'event loop')
    longest = { maxMs: 0, cpuMs: 0 }
  })
}

/** Reports each turn: how late it came, and the processor time since the previous turn, in milliseconds. */
function watch(onTurn: (late: number, cpu: number) => void): void {
  let [last, used] = [performance.now(), cpuMs()]
  setInterval(() => {
    const [now, cpu] = [performance.now(), cpuMs()]
    onTurn(now - last - everyMs, cpu - used)
    ;[last, used] = [now, cpu]
  }, everyMs).unref()
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
