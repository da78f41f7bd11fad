import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from './logger.ts'

export interface Loop {
  name: string
  stop(): Promise<void>
}

/**
 * Repeats the work, with this many seconds between the end of one round and the start of the next. A failure is logged
 * and does not end the loop. Stopping waits for the current round; the signal tells it to start nothing new.
 */
export function startLoop(
  name: string,
  everySeconds: number,
  logger: Logger,
  work: (stopping: AbortSignal) => Promise<void>,
): Loop {
  const stopping = new AbortController()
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await work(stopping.signal).catch((error: unknown) =>
        logger.warn({ err: error, loop: name }, 'loop iteration failed'),
      )
      await delay(everySeconds * 1000, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()
  return {
    name,
    stop: () => {
      stopping.abort()
      return running
    },
  }
}
