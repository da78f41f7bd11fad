import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from './logger.ts'

/** Something that goes on until it is stopped. */
export interface Loop {
  name: string
  stop(): Promise<void>
}

/**
 * Does the work again and again, so many seconds after it ended the time before. A failure is logged and does not end
 * the loop; stopping waits for the work that is under way, which the signal tells to begin nothing new.
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
        logger.warn({ err: error, loop: name }, 'a round of the loop failed'),
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
