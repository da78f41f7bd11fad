/**
 * Places that parties share. A party may take another place while it holds fewer than are free (a dynamic threshold, as
 * switches share their buffers): one that is alone gets half of the places, n busy parties get the same number each,
 * and some are always free for a party that holds none. No party has to be known beforehand, and nothing is reserved
 * for anyone by name.
 */
export const createShares = (places: number) => createHeld(places, (holds, free) => holds < free)

/** Places of which each party may take whatever is free. */
export const createCommon = (places: number) => createHeld(places, (_, free) => free > 0)

function createHeld(places: number, allows: (holds: number, free: number) => boolean) {
  const held = new Map<string, number>()
  let free = places

  const holds = (party: string): number => held.get(party) ?? 0
  const mayTake = (party: string): boolean => allows(holds(party), free)

  return {
    /** How many places the party holds. */
    holds,
    mayTake,

    /** Takes a place, if the party may. `release` must follow. */
    take(party: string): boolean {
      if (!mayTake(party)) return false
      held.set(party, holds(party) + 1)
      free -= 1
      return true
    },

    release(party: string): void {
      const left = holds(party) - 1
      if (left > 0) held.set(party, left)
      else held.delete(party)
      free += 1
    },
  }
}

export type Shares = ReturnType<typeof createShares>
