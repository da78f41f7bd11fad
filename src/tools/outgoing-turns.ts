/** A slot in use: its share, `owner` or `owner/part`, and the milliseconds until it is free. */
export interface CountedSlot {
  share: string
  freeInMs: number
}

export interface WaitingCall {
  id: string
  share: string
}

/** The state of one host: slots in order of becoming free, calls in order of first asking. */
export interface HostState {
  limit: number
  roundMs: number
  slots: CountedSlot[]
  calls: WaitingCall[]
  /** Shares in the order of their latest slot, the most recent last. Shares served long ago may be missing. */
  served: string[]
}

/**
 * The milliseconds until the call's turn; 0 means now; undefined if the call is not in the list. Each free slot goes to
 * the owner with the fewest slots at that time, among equals to the one served longest ago. Within an owner, the same
 * rule decides between its shares, so many agents get no more than one. Within a share, the call that asked first wins.
 * This is the order by (slots of the share + position within it), simulated as held slots expire. If there are more
 * shares than slots, the last time of service must count: otherwise the shares whose slots expire would get them back,
 * and the others would get nothing.
 */
export function msUntilTurn(id: string, { limit, roundMs, slots, calls, served }: HostState): number | undefined {
  const shares = groupByShare(slots, calls, served)
  const freeing = futureSlots(slots, shares)
  // If the limit was lowered, the first expiring slots free nothing.
  for (let excess = slots.length - limit; excess > 0; excess -= 1) freeing.next()
  const free = Math.max(0, limit - slots.length)
  for (let simulated = 0; ; simulated += 1) {
    const at = simulated < free ? 0 : freeing.next()
    const share = nextShare(shares)
    if (!share) return undefined
    const turn = share.waiting[share.served]
    if (turn?.id === id) return at
    share.served += 1
    for (const party of [share, share.owner]) {
      party.held += 1
      party.lastServed = served.length + simulated
    }
    freeing.take({ share: share.name, freeInMs: at + roundMs })
  }
}

interface Party {
  held: number
  /** When it last got a slot, as a position in the order of service; -1 is long ago. */
  lastServed: number
}

interface Share extends Party {
  name: string
  owner: Party
  waiting: { id: string; place: number }[]
  served: number
}

function groupByShare(slots: CountedSlot[], calls: WaitingCall[], served: string[]): Map<string, Share> {
  const shares = new Map<string, Share>()
  const owners = new Map<string, Party>()
  const of = (name: string): Share => {
    const [ownerName = name] = name.split('/')
    const owner = owners.get(ownerName) ?? { held: 0, lastServed: -1 }
    owners.set(ownerName, owner)
    const share = shares.get(name) ?? { name, owner, held: 0, lastServed: -1, waiting: [], served: 0 }
    shares.set(name, share)
    return share
  }
  for (const { share } of slots) for (const party of [of(share), of(share).owner]) party.held += 1
  for (const [order, share] of served.entries())
    for (const party of [of(share), of(share).owner]) party.lastServed = order
  for (const [place, { id, share }] of calls.entries()) of(share).waiting.push({ id, place })
  return shares
}

/** The slots in the order in which they become free: current ones merged with simulated ones, both sorted. */
function futureSlots(slots: CountedSlot[], shares: Map<string, Share>) {
  const simulated: CountedSlot[] = []
  let nextSlot = 0
  let nextSimulated = 0
  return {
    take: (slot: CountedSlot) => simulated.push(slot),
    /** Frees the next slot, and returns when. */
    next(): number {
      const known = slots[nextSlot]
      const later = simulated[nextSimulated]
      const slot = known && (!later || known.freeInMs <= later.freeInMs) ? known : later
      if (slot === known) nextSlot += 1
      else nextSimulated += 1
      const share = slot && shares.get(slot.share)
      if (share) for (const party of [share, share.owner]) party.held -= 1
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

const isBefore = (one: Share, other: Share): boolean =>
  (order(one.owner, other.owner) || order(one, other) || placeOf(one) - placeOf(other)) < 0

const order = (one: Party, other: Party): number => one.held - other.held || one.lastServed - other.lastServed

const placeOf = (share: Share): number => share.waiting[share.served]?.place ?? Infinity
