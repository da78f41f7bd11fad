import { AsyncLocalStorage } from 'node:async_hooks'
import { machineNow } from '../clock.ts'

/** Since when the current work has the right to send, by `performance.now()`. */
const begun = new AsyncLocalStorage<number | undefined>()

/**
 * Does work whose requests must not be sent once another process may have taken it over: after this process stood still,
 * for example because it was frozen or its machine slept. A request that was already sent is not affected.
 *
 * @param since when the right to send began, by `performance.now()`: before it was recorded
 */
export const unlessStoodStill = <T>(since: number, work: () => Promise<T>): Promise<T> => begun.run(since, work)

/** Does a part of such work whose requests are harmless, however late they are sent. */
export const evenIfStoodStill = <T>(work: () => Promise<T>): Promise<T> => begun.run(undefined, work)

/** In milliseconds. Shorter than anybody's patience with a silent process, as a test shows. */
export const mostStillMs = 2500
const beatMs = 500

/** The monotonic clock does not count the sleep of a machine. The other one does, but it may be set. */
const bothClocks = [() => performance.now(), machineNow]

/**
 * Notices that this process stood still, or that its clock was set forward by as much. Timers alone notice it too late:
 * what arrived meanwhile is handled before them.
 */
export function watchStandstill(mostMs = mostStillMs, clocks = bothClocks) {
  const read = (): number[] => clocks.map((clock) => clock())
  let beat = read()
  let ended = -Infinity
  function look(): void {
    const now = read()
    if (now.some((time, index) => time - beat[index]! > mostMs)) ended = performance.now()
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
