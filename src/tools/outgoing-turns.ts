/** A call that counts against the limit at this moment: whose it is, and in how many milliseconds it will not any more. */
export interface CountedSlot {
  share: string
  freeInMs: number
}

/** A call that wants to be made. */
export interface Asker {
  id: string
  share: string
}

/** The state of one host: slots in order of becoming free, askers in order of having asked first. */
export interface HostState {
  limit: number
  /** How long a slot counts that is given now. */
  roundMs: number
  slots: CountedSlot[]
  askers: Asker[]
  /** Shares in the order in which each was last given a slot, the latest last; those of long ago may be missing. */
  served: string[]
}

/**
 * In how many milliseconds it is the asker's turn; 0 is now. Each slot that is or becomes free goes to the share that
 * holds the fewest at that time, between equals to the one that was served longest ago, and within a share to whoever
 * asked first. That is the order by (slots the share holds + place within the share), carried on into the future, in
 * which slots that are held now expire. Where there are more shares than slots, who was served last has to come in:
 * otherwise the shares whose slots expire would get them back, and the others nothing. Undefined if the asker is not
 * among the askers.
 */
export function turnOf(id: string, { limit, roundMs, slots, askers, served }: HostState): number | undefined {
  const shares = groupByShare(slots, askers, served)
  const freeing = futureSlots(slots, shares)
  // Where the limit was lowered, the first ones that expire make no room.
  for (let excess = slots.length - limit; excess > 0; excess -= 1) freeing.next()
  const free = Math.max(0, limit - slots.length)
  for (let given = 0; ; given += 1) {
    const at = given < free ? 0 : freeing.next()
    const share = nextShare(shares)
    if (!share) return undefined
    const turn = share.waiting[share.served]
    if (turn?.id === id) return at
    share.served += 1
    share.held += 1
    share.lastServed = served.length + given
    freeing.give({ share: share.name, freeInMs: at + roundMs })
  }
}

interface Share {
  name: string
  held: number
  /** When it was last given a slot, as its number in the order of giving; -1 is long ago. */
  lastServed: number
  /** Its askers, each with its place among all of them. */
  waiting: { id: string; place: number }[]
  served: number
}

function groupByShare(slots: CountedSlot[], askers: Asker[], served: string[]): Map<string, Share> {
  const shares = new Map<string, Share>()
  const of = (name: string): Share => {
    const share = shares.get(name) ?? { name, held: 0, lastServed: -1, waiting: [], served: 0 }
    shares.set(name, share)
    return share
  }
  for (const { share } of slots) of(share).held += 1
  for (const [order, share] of served.entries()) of(share).lastServed = order
  for (const [place, { id, share }] of askers.entries()) of(share).waiting.push({ id, place })
  return shares
}

/** Slots becoming free: the present ones merged with those given meanwhile, each of the two in order already. */
function futureSlots(slots: CountedSlot[], shares: Map<string, Share>) {
  const given: CountedSlot[] = []
  let fromSlots = 0
  let fromGiven = 0
  return {
    give: (slot: CountedSlot) => given.push(slot),
    /** Takes the next slot from its share, and says when that is. */
    next(): number {
      const known = slots[fromSlots]
      const later = given[fromGiven]
      const slot = known && (!later || known.freeInMs <= later.freeInMs) ? known : later
      if (slot === known) fromSlots += 1
      else fromGiven += 1
      const share = slot && shares.get(slot.share)
      if (share) share.held -= 1
      return slot?.freeInMs ?? 0
    },
  }
}

function nextShare(shares: Map<string, Share>): Share | undefined {
  let best: Share | undefined
  for (const share of shares.values()) {
    if (share.served < share.waiting.length && (!best || isBefore(share, best))) best = share
  }
  return best
}

function isBefore(one: Share, other: Share): boolean {
  if (one.held !== other.held) return one.held < other.held
  if (one.lastServed !== other.lastServed) return one.lastServed < other.lastServed
  return placeOf(one) < placeOf(other)
}

const placeOf = (share: Share): number => share.waiting[share.served]?.place ?? Infinity
