import { createTurns } from './turns.ts'

const largeBytes = 64 * 1024

/** How long a large body keeps others waiting at most, in milliseconds. A mebibyte that has arrived takes ten to read. */
const longestReadMs = 100
const longestWorkMs = 1000

/** Whether a body is read and carried out in turn; `bytes` is undefined if that is not known before it is read. */
export const isLarge = (bytes: number | undefined): boolean => bytes === undefined || bytes > largeBytes

/**
 * Request bodies of more than 64 KiB are read, and then carried out, one at a time, and parties take turns: each keeps
 * the event loop, and Postgres, for milliseconds. Smaller ones share their transactions.
 */
export function createLargeBodies() {
  const reading = createTurns(1, { longestMs: longestReadMs })
  const carryingOut = createTurns(1, { longestMs: longestWorkMs })
  return {
    /** Reads a body at once, or in turn if it is large. */
    read: (party: string, bytes: number | undefined, read: () => Promise<Buffer>): Promise<Buffer> =>
      isLarge(bytes) ? reading.take(party, read) : read(),

    /** Does the work on a body at once, or in turn if it is large. */
    carryOut: <T>(party: string, bytes: number, work: () => Promise<T>): Promise<T> =>
      isLarge(bytes) ? carryingOut.take(party, work) : work(),
  }
}

export type LargeBodies = ReturnType<typeof createLargeBodies>
