import { AsyncLocalStorage } from 'node:async_hooks'

/** Since when the current work has the right to send, by `performance.now()`. */
const begun = new AsyncLocalStorage<number>()

/**
 * Does work whose requests must not be sent once another process may have taken it over: after this process stood still,
 * for example because it or its machine was frozen. Temporal gives the work of a worker that is silent for five seconds
 * to another. A request that was already sent is not affected.
 *
 * @param since when the right to send began, by `performance.now()`: before it was recorded
 */
export const unlessStoodStill = <T>(since: number, work: () => Promise<T>): Promise<T> => begun.run(since, work)

/** In milliseconds; shorter than anybody's patience with a silent process. */
const mostMs = 4000
const beatMs = 500

/**
 * Notices that this process stood still. Timers alone notice it too late: what arrived meanwhile is handled before them.
 */
export function watchStandstill() {
  let beat = performance.now()
  let ended = -Infinity
  function look(): void {
    const now = performance.now()
    if (now - beat > mostMs) ended = now
    beat = now
  }
  const timer = setInterval(look, beatMs).unref()
  return {
    /** Returns a function that says whether the current work may still be sent. */
    fence(): () => boolean {
      const since = begun.getStore()
      return () => {
        look()
        return since === undefined || ended <= since
      }
    },
    close: (): void => clearInterval(timer),
  }
}
