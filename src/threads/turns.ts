import { LRUCache } from 'lru-cache'

/** Of how many parties the last turn is remembered. */
const remembered = 10_000

/**
 * Shares places fairly between parties: a place that becomes free goes to the party whose last turn is longest ago,
 * however much work another has. So somebody who asks now and then goes before those who ask all the time. A party has
 * `each` places at a time at most. Work that takes longer than `longestMs` goes on without its place: all must not wait
 * for what hangs.
 */
export function createTurns(places: number, { each = places, longestMs }: { each?: number; longestMs?: number } = {}) {
  /** The work of the parties that wait. */
  const waiting = new Map<string, (() => void)[]>()
  /** The number of each party's last turn. */
  const lastTurns = new LRUCache<string, number>({ max: remembered })
  /** How many places each party has now. */
  const held = new Map<string, number>()
  let free = places
  let turns = 0

  function fill(): void {
    while (free > 0) {
      const party = nextParty()
      if (party === undefined) return
      begin(party)
    }
  }

  /** Of those who had none, the one that has waited longest. */
  function nextParty(): string | undefined {
    let next: string | undefined
    let turn = Infinity
    for (const party of waiting.keys()) {
      if ((held.get(party) ?? 0) >= each) continue
      const last = lastTurns.get(party) ?? 0
      if (last < turn) [next, turn] = [party, last]
    }
    return next
  }

  function begin(party: string): void {
    free -= 1
    held.set(party, (held.get(party) ?? 0) + 1)
    lastTurns.set(party, (turns += 1))
    const queue = waiting.get(party) ?? []
    queue.shift()?.()
    if (queue.length === 0) waiting.delete(party)
  }

  function leave(party: string): void {
    const left = (held.get(party) ?? 0) - 1
    if (left > 0) held.set(party, left)
    else held.delete(party)
  }

  return {
    /** Does the work when it is the party's turn. */
    async take<T>(party: string, work: () => Promise<T>): Promise<T> {
      await new Promise<void>((start) => {
        const queue = waiting.get(party)
        if (queue) queue.push(start)
        else waiting.set(party, [start])
        fill()
      })
      const giveBack = once(() => {
        free += 1
        leave(party)
        fill()
      })
      const timer = longestMs !== undefined ? setTimeout(giveBack, longestMs) : undefined
      try {
        return await work()
      } finally {
        clearTimeout(timer)
        giveBack()
      }
    },
  }
}

/** Later calls do nothing. */
function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}
