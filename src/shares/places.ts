import { LRUCache } from 'lru-cache'
import { createShares, type Shares } from './shares.ts'

/** The party has to come again: it holds its share of the places already, and nothing became free for it. */
export class NoPlaceError extends Error {
  override name = 'NoPlaceError'
  /** Whose places they are; undefined if they are the process's own. */
  readonly of: string | undefined

  constructor(of?: string) {
    super('The owner is at its concurrency limit.')
    this.of = of
  }
}

interface Waiting {
  party: string
  begin: () => void
}

/** Of how many parties the last turn is remembered: far more than wait at a time. */
const remembered = 10_000

/**
 * Lets work begin when its party may take a place. Work that may not waits a little, in a room that parties share in
 * the same way; a place that becomes free goes to the party that holds the fewest, and of several to the one whose last
 * turn is longest ago: where there are few places, all hold none. What finds no room, or waits for longer than
 * `patienceMs`, is refused at once, so that whoever fetched it can fetch the work of others.
 */
export function createPlaces(given: { shares: Shares; room: number; patienceMs: number; of?: string }) {
  const { shares } = given
  const room = createShares(given.room)
  /** In order of arrival. */
  const waiting = new Set<Waiting>()
  /** The last turn of each party. */
  const turns = new LRUCache<string, number>({ max: remembered })
  let turn = 0

  async function wait(party: string, signal: AbortSignal): Promise<void> {
    if (!room.take(party)) throw new NoPlaceError(given.of)
    try {
      await ownTurn(party, signal)
    } finally {
      room.release(party)
    }
  }

  function ownTurn(party: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const own: Waiting = { party, begin: resolve }
    const leave = (reason: unknown) => {
      waiting.delete(own)
      reject(reason)
    }
    const abort = () => leave(signal.reason)
    const patience = setTimeout(() => leave(new NoPlaceError(given.of)), given.patienceMs)
    signal.addEventListener('abort', abort)
    waiting.add(own)
    return promise.finally(() => {
      clearTimeout(patience)
      signal.removeEventListener('abort', abort)
    })
  }

  /** Hands on what is free. */
  function fill(): void {
    for (let next = nextOf(); next; next = nextOf()) {
      waiting.delete(next)
      take(next.party)
      next.begin()
    }
  }

  function nextOf(): Waiting | undefined {
    const ready = [...waiting].filter(({ party }) => shares.mayTake(party))
    const [next] = ready.toSorted(
      ({ party: one }, { party: other }) => shares.holds(one) - shares.holds(other) || turnOf(one) - turnOf(other),
    )
    return next
  }

  const turnOf = (party: string): number => turns.get(party) ?? 0

  function take(party: string): boolean {
    if (!shares.take(party)) return false
    turns.set(party, (turn += 1))
    return true
  }

  return {
    /** Does the work in a place of the party. NoPlaceError if there is none, or the signal's reason, before it begins. */
    async use<T>(party: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
      if (!take(party)) await wait(party, signal)
      try {
        return await work()
      } finally {
        shares.release(party)
        fill()
      }
    },
  }
}

export type Places = ReturnType<typeof createPlaces>
