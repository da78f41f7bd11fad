import type { Logger } from '../src/logger.ts'
import { watchEventLoop } from '../src/metrics/event-loop.ts'

/** Watches the event loop after the first SIGUSR2. Each later SIGUSR2 logs the longest turn since the previous one. */
export function reportEventLoop(logger: Logger): void {
  let watch: ReturnType<typeof watchEventLoop> | undefined
  process.on('SIGUSR2', () => {
    watch ??= watchEventLoop()
    const { maxMs, cpuMs } = watch.take()
    logger.info({ maxMs: Math.round(maxMs), cpuMs: Math.round(cpuMs) }, 'event loop')
  })
}
