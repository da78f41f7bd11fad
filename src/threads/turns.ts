/**
 * Shares places fairly between parties: a place that becomes free goes to the party that has waited longest since its
 * last turn, however much work another has.
 */
export function createTurns(places: number) {
  /** The parties that wait, in the order of their turns. */
  const waiting = new Map<string, (() => void)[]>()
  let free = places

  function fill(): void {
    for (const [party, queue] of waiting) {
      if (free === 0) return
      free -= 1
      waiting.delete(party)
      queue.shift()?.()
      // Behind the others; the iteration comes back to it.
      if (queue.length > 0) waiting.set(party, queue)
    }
  }

  return {
    /** Does the work when it is the party's turn. */
    async take<T>(party: string, work: () => Promise<T>): Promise<T> {
      await new Promise<void>((begin) => {
        waiting.set(party, [...(waiting.get(party) ?? []), begin])
        fill()
      })
      try {
        return await work()
      } finally {
        free += 1
        fill()
      }
    },
  }
}
