import { Row } from '../../database/row.ts'

/** Why a token is refreshed: it is about to expire, the site refused it, or the grant has long been idle. */
export type RefreshCause = 'expiry' | 'unauthorized' | 'keep_alive'

/**
 * `refused`: by the site · `not_sent`: the site was unreachable · `failed`: the site said that it did nothing ·
 * `ambiguous`: the site may have used up the refresh token · `abandoned`: the process died, so the outcome is unknown.
 */
export type RefreshOutcome = 'refreshed' | 'refused' | 'not_sent' | 'failed' | 'ambiguous' | 'abandoned'

/**
 * One attempt to refresh an entry's tokens (table `vault_refreshes`). The row records the intent before the request is
 * sent, holds the lease during it (one open row per entry), and is history after it. It never holds a token.
 */
export class VaultRefresh extends Row {
  static override tableName = 'vault_refreshes'
  declare id: string
  declare entryId: string
  declare generation: number
  declare cause: RefreshCause
  declare startedAt: Date
  declare leaseUntil: Date
  declare contestedAt: Date | null
  declare endedAt: Date | null
  declare outcome: RefreshOutcome | null
  declare error: string | null
  /** When the next attempt is allowed, by the site's Retry-After or after a refusal. */
  declare retryAt: Date | null
  declare rotated: boolean | null
}
