import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from './logger.ts'

/** Work that is done in rounds, with so many milliseconds before each, for as long as there is any. */
interface Work {
  logger: Logger
  everyMs: number
  isNeeded: () => boolean
  round: () => Promise<void>
  /** Logged when rounds begin to fail. */
  failure: string
}

/** Unlike a loop, rounds cost nothing while there is nothing to do. */
export function createRounds({ logger, everyMs, isNeeded, round, failure }: Work) {
  const stopping = new AbortController()
  let working: Promise<void> | undefined
  let isFailing = false

  async function work(): Promise<void> {
    while (isNeeded() && !stopping.signal.aborted) {
      await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      await round().then(
        () => (isFailing = false),
        (error: unknown) => {
          if (!isFailing && !stopping.signal.aborted) logger.warn({ err: error }, failure)
          isFailing = true
        },
      )
    }
    working = undefined
  }

  return {
    begin: (): void => void (working ??= work()),

    stopping: stopping.signal,

    /** Ends the pause before the next round, which is the last, and waits for that. */
    stop: async (): Promise<void> => {
      stopping.abort()
      await working
    },
  }
}
