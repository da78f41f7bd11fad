import { later } from '../clock.ts'
import type { VaultEntry } from '../vault/vault-entry.ts'
import { advise } from '../why/actions.ts'
import { utcTime } from '../why/cause.ts'
import { siteOf } from '../why/current-work.ts'
import { reconnection } from '../why/head-causes.ts'
import { waitingFor, type AgentState } from './agent-state.ts'
import { needOf, type Need } from './need.ts'

/** A credential that cannot be refreshed is mentioned so many days before it ends. */
export const noticeDays = 7

/** What the items say of a vault entry, and whether its site issued a refresh token. */
export interface Credential {
  entry: Pick<
    VaultEntry,
    'id' | 'name' | 'origin' | 'authType' | 'status' | 'statusReason' | 'expiresAt' | 'refreshAfter' | 'updatedAt'
  >
  isRefreshable: boolean
}

/** The item of a credential that has ended, cannot be refreshed at the moment, or ends soon; none if it lasts. */
export function credentialNeeds(credential: Credential, agents: readonly AgentState[], now: Date): Need[] {
  const { entry } = credential
  const situation = situationOf(credential, now)
  if (!situation) return []
  const waiting = waitingFor(agents, 'credential', entry.origin)
  const ends = waiting.flatMap(({ waitingUntil }) => waitingUntil ?? [])
  return [
    needOf({
      kind: 'credential',
      ...situation,
      until: ends.toSorted((one, other) => Number(one) - Number(other))[0] ?? situation.until,
      action: advise`${reconnection(entry)}.`,
      vaultEntryId: entry.id,
      site: entry.origin,
      count: waiting.length,
    }),
  ]
}

type Situation = Pick<Need, 'since' | 'until' | 'message'>

function situationOf({ entry, isRefreshable }: Credential, now: Date): Situation | undefined {
  const { status, statusReason, expiresAt, refreshAfter, updatedAt } = entry
  const site = siteOf({ entry, siteOrigin: entry.origin })
  const reason = statusReason === null ? '' : ` ${statusReason}`
  if (status === 'needs_reauth') {
    return { since: updatedAt, until: null, message: `${site} must be reconnected.${reason}` }
  }
  const isOver = expiresAt !== null && expiresAt <= now
  const until = isOver ? null : expiresAt
  if (statusReason !== null) {
    return { since: refreshAfter, until, message: `${site} is refusing to refresh its credential.${reason}` }
  }
  if (isRefreshable || expiresAt === null || expiresAt > later(now, noticeDays * 86_400)) return undefined
  const message = `The credential for ${site} ${isOver ? 'expired' : 'expires'} at ${utcTime(expiresAt)} and cannot be refreshed.`
  return { since: isOver ? expiresAt : null, until, message }
}
