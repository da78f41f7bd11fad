/** A slot in use: its share, `owner` or `owner/part`, and the milliseconds until it is free. */
export interface CountedSlot {
  share: string
  freeInMs: number
}

/** A call that asks for a slot. */
export interface WaitingCall {
  id: string
  share: string
}

/** The state of one host: slots in order of becoming free, calls in order of first asking. */
export interface HostState {
  limit: number
  /** How long a slot that is taken now will count. */
  roundMs: number
  slots: CountedSlot[]
  calls: WaitingCall[]
  /** Shares in the order in which each last got a slot, the latest last; shares served long ago may be missing. */
  served: string[]
}

/**
 * The milliseconds until it is the call's turn; 0 means now. Each free slot goes to the owner that holds the fewest
 * slots at that time; among equals, to the one that was served longest ago; within an owner to its shares by the same
 * rule, so that many agents get no more than one; within a share, to the call that asked first. That is the order by
 * (slots the share holds + position within the share), simulated into the future as held slots expire. If there are
 * more shares than slots, the last time of service must count: otherwise the shares whose slots expire would get them
 * back, and the others would get nothing. Undefined if the call is not in the list.
 */
export function msUntilTurn(id: string, { limit, roundMs, slots, calls, served }: HostState): number | undefined {
  const shares = groupByShare(slots, calls, served)
  const freeing = futureSlots(slots, shares)
  // If the limit was lowered, the first slots to expire free nothing.
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
  /** Its calls, each with its position among all calls. */
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

/** The slots in the order in which they become free: current ones merged with simulated ones, both already sorted. */
function futureSlots(slots: CountedSlot[], shares: Map<string, Share>) {
  const simulated: CountedSlot[] = []
  let nextSlot = 0
  let nextSimulated = 0
  return {
    take: (slot: CountedSlot) => simulated.push(slot),
    /** Frees the next slot, and returns when that is. */
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
