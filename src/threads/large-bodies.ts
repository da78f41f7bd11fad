import { createTurns } from './turns.ts'

const largeBytes = 64 * 1024

/** Work that takes longer, as while Postgres hangs, leaves its place to others, in milliseconds. */
const longestMs = 1000

/** Whether a body is carried out in turn; `bytes` is undefined if that is not known before it is read. */
export const isLarge = (bytes: number | undefined): boolean => bytes === undefined || bytes > largeBytes

/**
 * Request bodies of more than 64 KiB are carried out one at a time, and owners take turns: each keeps the event loop,
 * and Postgres, for milliseconds. Smaller ones share their transactions. Reading takes no turns, because a stranger
 * decides how long it takes.
 */
export function createLargeBodies() {
  const turns = createTurns(1, { longestMs })
  return {
    /** Does the work on a body at once, or in its owner's turn if it is large. */
    carryOut: <T>(ownerId: string, bytes: number, work: () => Promise<T>): Promise<T> =>
      isLarge(bytes) ? turns.take(ownerId, work) : work(),
  }
}

export type LargeBodies = ReturnType<typeof createLargeBodies>
