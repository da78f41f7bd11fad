/** How long a round of background work starts new batches, in milliseconds. The rest waits for the next round. */
const roundMs = 5000

/** Starts a round and returns a function that says whether it is over: its time is up, or the process stops. */
export function beginRound(stopping?: AbortSignal, lasts = roundMs): () => boolean {
  const begun = performance.now()
  return () => stopping?.aborted === true || performance.now() - begun > lasts
}

/**
 * Runs batches until one is not full, and returns the sum. Each commits on its own, so stopping between two loses
 * nothing.
 */
export async function inBatches(size: number, work: () => Promise<number>, isOver: () => boolean): Promise<number> {
  let [sum, count] = [0, size]
  while (count >= size && !isOver()) {
    count = await work()
    sum += count
  }
  return sum
}

/** The most that one transaction deletes: runs or sessions, and their rows, unless a single one has more. */
export const largeBatch = { things: 200, parts: 5000 }

/** A run or a session, with its approximate number of rows. */
export interface Sized {
  id: string
  parts: number
}

/** The ids of the first ones that fit into one batch; at least one. */
export function fittingIds(found: Sized[]): string[] {
  let parts = 0
  const taken = found.findIndex((one, index) => {
    parts += one.parts
    return index > 0 && parts > largeBatch.parts
  })
  return found.slice(0, taken === -1 ? found.length : taken).map(({ id }) => id)
}
