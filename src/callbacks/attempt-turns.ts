import { registrableDomain } from '../registrable-domain.ts'
import { createShares } from '../shares/shares.ts'
import { beforeAll, type Claim, type Claimed, type DueCallback } from './claim-callbacks.ts'

/** Concurrent attempts of one process. */
const places = 60

/** How many of them one owner may have at one host: its other receivers must not wait for a slow one. */
export const maxPerHost = 3

/** How many callbacks to a domain whose share is used up are passed over at a time. */
const maxPassedOver = 100

/**
 * Who may make the next attempt of this process. Owners take turns, and share its places; so do the registrable domains
 * of the receivers, as whoever has many accounts and hosts probably has one domain (docs/decisions/0044).
 */
export function createAttemptTurns(claim: Claim) {
  const owners = createShares(places)
  const domains = createShares(places)
  const underWay = new Set<DueCallback>()
  let lastOwner = beforeAll

  const busy = (): DueCallback[] => [...underWay]
  const fullOwners = (): string[] =>
    [...new Set(busy().map(({ ownerId }) => ownerId))].filter((id) => !owners.mayTake(id))
  const fullHosts = (): string[] =>
    [...Map.groupBy(busy().map(hostKey), (key) => key)]
      .filter(([, same]) => same.length >= maxPerHost)
      .map(([key]) => key)

  async function findNext(): Promise<DueCallback | undefined> {
    const hosts = fullHosts()
    let behind = lastOwner
    for (let passedOver = 0; passedOver < maxPassedOver; passedOver += 1) {
      const due = await claim.next(behind, { owners: fullOwners(), hosts })
      if (!due || domains.mayTake(domainOf(due))) return due
      hosts.push(hostKey(due))
      // Owners with many hosts of that domain must not keep it from looking at others.
      behind = due.ownerId
    }
    return undefined
  }

  return {
    /** Claims the next attempt; undefined if none is due that may be made now. `end` must follow. */
    async begin(): Promise<Claimed | undefined> {
      for (let due = await findNext(); due; due = await findNext()) {
        lastOwner = due.ownerId
        const claimed = await claim.claim(due)
        // Otherwise another process was faster.
        if (!claimed) continue
        owners.take(claimed.ownerId)
        domains.take(domainOf(claimed))
        underWay.add(claimed)
        return claimed
      }
      return undefined
    },

    end(claimed: Claimed): void {
      underWay.delete(claimed)
      owners.release(claimed.ownerId)
      domains.release(domainOf(claimed))
    },
  }
}

const hostKey = ({ ownerId, host }: DueCallback): string => `${ownerId} ${host}`

/** Ports do not multiply it. */
const domainOf = ({ host }: DueCallback): string => registrableDomain(new URL(`https://${host}`).hostname)
