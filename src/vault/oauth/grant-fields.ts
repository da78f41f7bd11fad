import type { Scope, SiteTool } from '../../sites/tool.ts'
import type { ForeignScopes } from '../vault-entry.ts'
import { isUsable } from './needed-scopes.ts'
import type { Grant, GrantedScopes } from './token-outcome.ts'

/** The share of a token's lifetime after which it is refreshed. The old token remains a fallback. */
const renewAt = 0.8

type Asked = OurScopes | { foreignScopes: ForeignScopes; isRefresh: boolean }

interface OurScopes {
  /** The requested scopes, or the scopes that a refresh must keep. */
  scopes: Scope[]
  tools: readonly Pick<SiteTool, 'scope'>[]
  /** Whether this grant renews an earlier one. Then the scopes stay if the site names none of them. */
  isRefresh: boolean
}

/**
 * The plain-text fields of a grant. Expiry is counted by our own clock from the receipt, so the site's clock does not
 * matter. Without a `scope`, the requested scopes are granted (RFC 6749, 5.1 and 6). Scopes beyond the request are
 * ignored.
 */
export function grantFields({ expiresInSeconds, scopes: stated }: Grant, asked: Asked, now: Date) {
  const after = (seconds: number): Date => new Date(now.getTime() + seconds * 1000)
  return {
    ...('foreignScopes' in asked ? foreignFields(stated, asked) : scopeFields(stated, asked)),
    expiresAt: expiresInSeconds === undefined ? null : after(expiresInSeconds),
    refreshAfter: expiresInSeconds === undefined ? null : after(expiresInSeconds * renewAt),
  }
}

/** A refresh gives no more than before, so what the site asked for beyond it stays asked for. */
function foreignFields(
  stated: GrantedScopes | undefined,
  { foreignScopes: { granted, asked }, isRefresh }: { foreignScopes: ForeignScopes; isRefresh: boolean },
) {
  const now = stated?.verbatim ?? granted
  if (isRefresh) return { scopes: null, foreignScopes: { granted: now, asked } }
  return { scopes: null, foreignScopes: { granted: now, asked: [] }, scopeNote: null }
}

/** The scopes, and a sentence for the owner if the site's scopes allow no tool. */
function scopeFields(stated: GrantedScopes | undefined, { scopes: asked, tools, isRefresh }: OurScopes) {
  const scopes = stated ? asked.filter((scope) => stated.known.includes(scope)) : asked
  if (!stated || tools.some((tool) => isUsable(tool, scopes))) return { scopes, scopeNote: null }
  const granted = `The site granted ${stated.words}`
  if (scopes.length > 0) return { scopes, scopeNote: `${granted}, which is not enough for any of the site's tools.` }
  const none = `${granted}, which includes none of the requested scopes (${asked.join(', ')})`
  return isRefresh && asked.length > 0
    ? { scopes: asked, scopeNote: `${none}. The previous scopes remain in use.` }
    : { scopes, scopeNote: `${none}. The site must use the scope names from its manifest.` }
}
