import { setImmediate as nextTurn } from 'node:timers/promises'

/** For how long work continues without a pause, in milliseconds: the forms of one long secret take five. */
const turnMs = 5

/** For work in small pieces: to be awaited after each. Others get a turn of the event loop when it has taken long. */
export function createPauses(): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < turnMs) return
    await nextTurn()
    began = performance.now()
  }
}
