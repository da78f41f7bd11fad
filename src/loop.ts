import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from './logger.ts'

/** Called by a loop with each sign of life: at the end of a round, and when a long round looks whether it must stop. */
export type SignOfLife = () => void

export interface Loop {
  name: string
  stop(): Promise<void>
}

/**
 * Repeats the work, with this many seconds between the end of one round and the start of the next. A failure is logged
 * and does not end the loop. Stopping waits for the current round; the signal tells it to start nothing new.
 * `signOfLife` is called at the end of each round, and whenever a round looks at its signal: a long honest round does
 * so between its parts, and a stuck one does not.
 */
export function startLoop(
  name: string,
  everySeconds: number,
  logger: Logger,
  work: (stopping: AbortSignal) => Promise<void>,
  signOfLife: () => void = () => {},
): Loop {
  const stopping = new AbortController()
  const watched = watchedSignal(stopping.signal, signOfLife)
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await work(watched).catch((error: unknown) => logger.warn({ err: error, loop: name }, 'loop iteration failed'))
      signOfLife()
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

/** The signal that follows another one, and notes each look at `aborted`. */
function watchedSignal(signal: AbortSignal, noteLook: () => void): AbortSignal {
  const watched = AbortSignal.any([signal])
  return Object.defineProperty(watched, 'aborted', {
    get() {
      noteLook()
      return signal.aborted
    },
  })
}
