import type { Scope } from '../../sites/tool.ts'
import type { Grant } from './token-outcome.ts'

/** Tokens are renewed when so much of their lifetime is over, while the old one is still good for emergencies. */
const renewAt = 0.8

/**
 * What of a grant is kept in plain beside its sealed tokens. Expiry is counted from the receipt by our own clock, so the
 * site's does not matter. Without a `scope` the scopes are those asked for (RFC 6749, 5.1 and 6); a site that grants more
 * does not decide what its owner's agents may do.
 */
export function grantFields({ expiresInSeconds, scopes }: Grant, asked: Scope[], now: Date) {
  const after = (seconds: number): Date => new Date(now.getTime() + seconds * 1000)
  return {
    scopes: scopes ? asked.filter((scope) => scopes.includes(scope)) : asked,
    expiresAt: expiresInSeconds === undefined ? null : after(expiresInSeconds),
    refreshAfter: expiresInSeconds === undefined ? null : after(expiresInSeconds * renewAt),
  }
}
