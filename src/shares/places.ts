import { createShares, type Shares } from './shares.ts'

/** The party has to come again: it holds its share of the places already, and nothing became free for it. */
export class NoPlaceError extends Error {
  override name = 'NoPlaceError'

  constructor() {
    super('The party holds its share of the places.')
  }
}

interface Waiting {
  party: string
  begin: () => void
}

/**
 * Lets work begin when its party may take a place. Work that may not waits a little, in a room that parties share in
 * the same way; a place that becomes free goes to the party that holds the fewest. What finds no room, or waits for
 * longer than `patienceMs`, is refused at once, so that whoever fetched it can fetch the work of others.
 */
export function createPlaces(given: { shares: Shares; room: number; patienceMs: number }) {
  const { shares } = given
  const room = createShares(given.room)
  /** In order of arrival. */
  const waiting = new Set<Waiting>()

  async function wait(party: string, signal: AbortSignal): Promise<void> {
    if (!room.take(party)) throw new NoPlaceError()
    try {
      await turn(party, signal)
    } finally {
      room.release(party)
    }
  }

  function turn(party: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const own: Waiting = { party, begin: resolve }
    const leave = (reason: unknown) => {
      waiting.delete(own)
      reject(reason)
    }
    const abort = () => leave(signal.reason)
    const patience = setTimeout(() => leave(new NoPlaceError()), given.patienceMs)
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
      shares.take(next.party)
      next.begin()
    }
  }

  function nextOf(): Waiting | undefined {
    const ready = [...waiting].filter(({ party }) => shares.mayTake(party))
    const fewest = Math.min(...ready.map(({ party }) => shares.holds(party)))
    return ready.find(({ party }) => shares.holds(party) === fewest)
  }

  return {
    /** Does the work in a place of the party. NoPlaceError if there is none, or the signal's reason, before it begins. */
    async use<T>(party: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
      if (!shares.take(party)) await wait(party, signal)
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
