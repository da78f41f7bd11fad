import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long work runs before it yields, in milliseconds. The spellings of one long secret take five. */
const turnMs = 5

/**
 * Await the returned function after each small piece of work. It yields to the event loop if the work has taken long.
 */
export function createPauses(): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < turnMs) return
    await nextTurn()
    began = performance.now()
  }
}
