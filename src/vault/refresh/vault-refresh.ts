import { Row } from '../../database/row.ts'

/** Why a token is refreshed: it is about to expire, the site did not accept it, or nobody has used it for long. */
export type RefreshCause = 'expiry' | 'unauthorized' | 'keep_alive'

/**
 * `refreshed`; `refused`: the site said no for good; `not_sent`: it could not be reached; `failed`: it said that it did
 * nothing; `ambiguous`: it may have spent the refresh token; `abandoned`: nobody knows, the process died meanwhile.
 */
export type RefreshOutcome = 'refreshed' | 'refused' | 'not_sent' | 'failed' | 'ambiguous' | 'abandoned'

/**
 * One attempt to refresh an entry's tokens (table `vault_refreshes`): the intent, written before the request leaves; the
 * lease, while it is under way (one open row per entry); afterwards the history. There is never a token in it.
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
  /** When the site wants to be asked again, by its Retry-After. */
  declare retryAt: Date | null
  /** Whether the site gave a new refresh token. */
  declare rotated: boolean | null
}
