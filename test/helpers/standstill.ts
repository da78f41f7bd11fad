import type { ExecutionContext } from 'ava'
import { watchStandstill } from '../../src/safe-fetch/standstill.ts'

const mostMs = 50

/** A watch that takes a short pause for a standstill, and a way to stand still. */
export function briefStandstill(t: ExecutionContext) {
  const watch = watchStandstill(mostMs)
  t.teardown(watch.close)
  /** Whether the work that asks may still be sent. */
  const maySend = (): boolean => watch.fence()()
  return {
    maySend,
    /** Stops this process, and lets the watch notice it. */
    standStill: (): void => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * mostMs)
      maySend()
    },
  }
}
