import type { Scope } from '../../sites/tool.ts'
import type { Grant } from './token-outcome.ts'

/** The share of a token's lifetime after which it is refreshed; the old token is still good as a fallback. */
const renewAt = 0.8

/**
 * The fields of a grant that are stored in plain text. Expiry is counted by our own clock from the receipt, so the
 * site's clock does not matter. Without a `scope`, the requested scopes are granted (RFC 6749, 5.1 and 6). Scopes
 * beyond the request are ignored.
 */
export function grantFields({ expiresInSeconds, scopes }: Grant, asked: Scope[], now: Date) {
  const after = (seconds: number): Date => new Date(now.getTime() + seconds * 1000)
  return {
    scopes: scopes ? asked.filter((scope) => scopes.includes(scope)) : asked,
    expiresAt: expiresInSeconds === undefined ? null : after(expiresInSeconds),
    refreshAfter: expiresInSeconds === undefined ? null : after(expiresInSeconds * renewAt),
  }
}
