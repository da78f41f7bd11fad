import type { AuthorizationServer } from 'oauth4webapi'
import type { CallOutcome } from '../../tools/call-outcome.ts'
import type { SiteCall } from '../../tools/call-site.ts'
import type { Manifest, ManifestServer, OAuthSite } from '../manifest.ts'
import type { OfferedTools, WantedTools } from '../offered-tools.ts'
import type { DialectName } from './dialect-name.ts'

/**
 * How sites are spoken to, whatever their kind. Nothing else knows the dialect of a site: manifests are pinned and
 * compared, and calls are limited, recorded and explained, alike for all.
 */
export interface Dialect {
  /**
   * Finds the site at an address and lists what it offers. `party` is the fairness key in the threads. Throws
   * INVALID_URL, MANIFEST_NOT_FOUND if there is none, MANIFEST_INVALID with the problems if its list is unusable.
   */
  list: (address: string, party: string, known?: KnownSite) => Promise<ListedSite>
  /** Whether what such a site lists depends on who asks, so that nobody may be shown another's list. */
  isPersonal: (name: DialectName) => boolean
  /** Whether such a site lists only the tools that its owner has chosen of those that it offers. */
  offersChoice: (name: DialectName) => boolean
  /** Whether a site sends pasted tokens in a form that takes every text. Others are for a header as they are. */
  takesAnyToken: (name: DialectName, auth: Manifest['auth']) => boolean
  /**
   * Makes one attempt of a tool call. Throws only if the call's signal aborts it: whatever the site does is an outcome,
   * without the token and the other secrets of the call.
   */
  call: (call: SiteCall) => Promise<CallOutcome>
  /**
   * Tells the site that nobody waits for what it works on (`job` of the call). That is a wish, so nothing is returned.
   * Throws nothing that says something about the site.
   */
  abandon: (call: SiteCall) => Promise<void>
  /**
   * Who may call: those with a grant of this authorization server. `issuer`: as it is named by a response that claims
   * to come from there.
   */
  access: (name: DialectName, site: OAuthSite, issuer?: string | null) => Access
}

/** What is known about a site before it is listed. */
export interface KnownSite {
  /** Without it, the dialects are tried in turn. */
  dialect?: DialectName | undefined
  /** A token of the owner for this address. It is sent only if the site lists its tools by it. */
  token?: string | undefined
  /** How the owner of the token has signed in, by an earlier list without a token. */
  auth?: OAuthSite | undefined
  /** Names of the tools to list, where a site offers more than an owner would use. */
  chosen?: readonly string[] | undefined
  /** Where the owner of a connection has calls sent. Without it, the address says it. */
  server?: ManifestServer | undefined
  /** Asks without a token how users sign in, even if the site lists its tools to everybody. */
  wantsSignIn?: boolean | undefined
  /** The part of the offer to show, where a site offers a choice. Otherwise its beginning is shown. */
  shown?: WantedTools | undefined
}

export interface ListedSite {
  dialect: DialectName
  /** The site's key: an owner connects it once. An address that `list` finds it by. */
  origin: string
  manifest: Manifest
  /** Tools to choose from. The manifest has only the chosen ones. */
  offered?: OfferedTools
  /** The keys of other sites that the same address stands for, and its own. */
  alternatives?: string[]
  /** The site showed only how users sign in, so the manifest has no tools. */
  toolsHidden?: true
  /** How long the list is current, as the site says; absent if it does not say it. */
  staleAfterSeconds?: number
}

/** The part of a dialect that differs from kind to kind. */
export interface Adapter extends Pick<Dialect, 'call'> {
  isPersonal: boolean
  offersChoice: boolean
  /** As `Dialect.list`, for sites of this kind. */
  list: (address: string, party: string, known: Omit<KnownSite, 'dialect'>) => Promise<Omit<ListedSite, 'dialect'>>
  access: (site: OAuthSite, issuer?: string | null) => Access
  /** Absent if no such site does. */
  takesAnyToken?: (auth: Manifest['auth']) => boolean
  /** Absent if such sites never work on a call after their response. */
  abandon?: Dialect['abandon']
}

export interface Access {
  server: AuthorizationServer
  /** The expected issuer and who can change it, as the end of a sentence. */
  issuerInWords: string
  foreign?: ForeignAccess | undefined
}

/**
 * For an authorization server that knows neither the platform nor its scopes. Clients are chosen for each flow, scopes
 * are the site's own, and issuers are compared as texts (RFC 9207).
 */
interface ForeignAccess {
  /** The service that tokens are for (RFC 8707), if its authorization server knows it. */
  resource?: string | undefined
  /** What the server is told apart by: its issuer or, if that is unknown, its endpoints. */
  identity: string
  /** Requested and stored verbatim. They decide nothing here, so every tool may be called. */
  scopes: readonly string[]
}
