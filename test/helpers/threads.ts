import type * as inThread from '../../src/in-thread.ts'
import { TooComplexError, type Threads } from '../../src/threads/threads.ts'

/** Threads that give up all work. A short deadline would not do: on a busy machine the work can end before its timer. */
export const exhausted: Threads<typeof inThread> = {
  run: (_party, name) => Promise.reject(new TooComplexError(`${name} was given up`)),
  close: () => Promise.resolve(),
}
