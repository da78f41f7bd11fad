import { registrableDomain } from '../registrable-domain.ts'
import { createShares } from '../shares/shares.ts'
import { beforeAll, type Claim, type Claimed, type DueCallback } from './claim-callbacks.ts'

/** The most concurrent attempts of one process. */
const slots = 60

/** The most concurrent attempts per owner and host, so a slow receiver does not hold up the owner's others. */
export const maxPerHost = 3

/** The most callbacks passed over at a time because their domain has used up its share. */
const maxPassedOver = 100

/**
 * Chooses this process's next attempt. Owners take turns and share its slots. So do the receivers' registrable domains,
 * because a user with many accounts and hosts probably has one domain (docs/decisions/0044).
 */
export function createAttemptTurns(claim: Claim) {
  const owners = createShares(slots)
  const domains = createShares(slots)
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
      // An owner with many hosts of that domain must not hide other owners.
      behind = due.ownerId
    }
    return undefined
  }

  return {
    /** Claims the next attempt; undefined if none is due and allowed now. The caller must call `end`. */
    async begin(): Promise<Claimed | undefined> {
      for (let due = await findNext(); due; due = await findNext()) {
        lastOwner = due.ownerId
        const claimed = await claim.claim(due)
        // Another process was faster.
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

/** Without the port: more ports give no larger share. */
const domainOf = ({ host }: DueCallback): string => registrableDomain(new URL(`https://${host}`).hostname)
