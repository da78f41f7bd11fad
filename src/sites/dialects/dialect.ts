import type { AuthorizationServer } from 'oauth4webapi'
import type { CallOutcome, SiteCall } from '../../tools/call-site.ts'
import type { Manifest, OAuthSite } from '../manifest.ts'

/**
 * How sites of one kind are spoken to. Nothing else knows the dialect of a site: manifests are pinned and compared, and
 * calls are limited, recorded and explained, alike for all.
 */
export interface Dialect {
  /**
   * Finds the site at an address and lists what it offers. `party` is the fairness key in the threads. Throws
   * INVALID_URL, MANIFEST_NOT_FOUND if there is none, MANIFEST_INVALID with the problems if its list is unusable.
   */
  list: (address: string, party: string) => Promise<ListedSite>
  /**
   * Makes one attempt of a tool call. Throws only if the call's signal aborts it: whatever the site does is an outcome,
   * without the token and the other secrets of the call.
   */
  call: (call: SiteCall) => Promise<CallOutcome>
  /**
   * Who may call: those with a grant of this authorization server. `issuer`: as it is named by a response that claims
   * to come from there.
   */
  access: (site: OAuthSite, issuer?: string | null) => Access
}

export interface ListedSite {
  /** The site's key: an owner connects it once. An address that `list` finds it by. */
  origin: string
  manifest: Manifest
}

interface Access {
  server: AuthorizationServer
  /** The expected issuer and who can change it, as the end of a sentence. */
  issuerInWords: string
}
