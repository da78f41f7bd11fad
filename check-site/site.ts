import { randomBytes } from 'node:crypto'
import { isCoded, type ErrorDetail } from '../src/errors.ts'
import { parseManifest } from '../src/sites/dialects/manifest/parse-manifest.ts'
import type { Manifest, OAuthSite } from '../src/sites/manifest.ts'
import { parseSiteUrl } from '../src/safe-fetch/site-url.ts'
import { describeTool, type SiteTool } from '../src/sites/tool.ts'
import type { Exchange, Outcome } from './exchange.ts'
import type { CheckOptions } from './options.ts'
import { sampleArguments, violatingArguments } from './sample-arguments.ts'

/** A completed sign-in, and the response of the token address. */
export interface SignIn {
  requested: string[]
  state: string
  code: string
  verifier: string
  /** The query of the callback. */
  callback: URLSearchParams
  answer: Outcome
}

/** An exchange of a code that a site must refuse. */
export type Probe = 'wrong verifier' | 'no verifier' | 'other redirect address'

/** The known facts about the site. Checks add to them and share them, so that no request is repeated. */
export interface Site {
  options: CheckOptions
  exchange: Exchange
  origin: string | undefined
  addressProblem: string | undefined
  manifestAnswer: Outcome | undefined
  manifestProblems: ErrorDetail[]
  manifest: Manifest | undefined
  /** As the platform sees them, up to the number to call. */
  tools: SiteTool[]
  /** The access token for tool calls: a given one, or the sign-in's. */
  token: string | undefined
  signIn: SignIn | undefined
  signInProblem: string | undefined
  /** The reason why nobody signed in, if it is not the site's fault. */
  signInMissing: string | undefined
  /** The responses to exchanges that must be refused. */
  probes: Map<Probe, Outcome>
  /** Where the browser ended after the person refused access, and the state that was sent. */
  denial: { end: URL | null; state: string } | undefined
  /** The reason why nobody refused access. */
  denialMissing: string | undefined
  refreshToken: string | undefined
  refreshed: Outcome | undefined
  failed: Set<string>
  /** Kinds of wrong responses that a check has already reported, so that no other check does. */
  reported: Set<string>
  /** Runs the work once per name, and returns the same result again. */
  once: <T>(name: string, work: () => Promise<T>) => Promise<T>
}

/** Reads the site's manifest, if possible. */
export async function openSite(options: CheckOptions, exchange: Exchange): Promise<Site> {
  const known = new Map<string, Promise<unknown>>()
  const site: Site = {
    options,
    exchange,
    origin: undefined,
    addressProblem: undefined,
    manifestAnswer: undefined,
    manifestProblems: [],
    manifest: undefined,
    tools: [],
    token: options.token,
    signIn: undefined,
    signInProblem: undefined,
    signInMissing: undefined,
    probes: new Map(),
    denial: undefined,
    denialMissing: undefined,
    refreshToken: undefined,
    refreshed: undefined,
    failed: new Set(),
    reported: new Set(),
    once<T>(name: string, work: () => Promise<T>) {
      if (!known.has(name)) known.set(name, work())
      return known.get(name) as Promise<T>
    },
  }
  readAddress(site)
  if (site.origin !== undefined) await readManifest(site, site.origin)
  return site
}

function readAddress(site: Site): void {
  try {
    site.origin = parseSiteUrl(site.options.site).origin
  } catch (error) {
    if (!isCoded(error, 'INVALID_URL')) throw error
    site.addressProblem = error.message
  }
}

async function readManifest(site: Site, origin: string): Promise<void> {
  const url = `${origin}/.well-known/toolsite.json`
  const answer = await site.exchange.send({ url, method: 'GET', maxBytes: 256 * 1024 })
  site.manifestAnswer = answer
  if (answer.status !== 200) return
  try {
    site.manifest = parseManifest(answer.bytes)
    site.tools = site.manifest.tools.slice(0, site.options.mostTools).map(describeTool)
  } catch (error) {
    if (!isCoded(error, 'MANIFEST_INVALID')) throw error
    site.manifestProblems = error.details ?? []
  }
}

/** The OAuth part of the manifest, for checks that need `oauth2`. */
export function oauthOf({ manifest }: Site): OAuthSite {
  if (manifest?.auth.type !== 'oauth2') throw new Error('This check needs a site with OAuth.')
  return manifest.auth
}

interface ToolRequest {
  token?: string | undefined
  /** A string is sent unchanged, anything else as JSON. */
  body: unknown
  key?: string
  /** A token in the address, which the site must not accept. */
  inAddress?: string
  ignoreRetryAfter?: boolean
}

/** Calls a tool as the platform does (docs/specification.md, "Tool call"). */
export function callTool(site: Site, name: string, request: ToolRequest) {
  const { token, body, key, inAddress, ignoreRetryAfter = false } = request
  const query = new URLSearchParams(inAddress === undefined ? {} : { access_token: inAddress, token: inAddress })
  return site.exchange.send({
    url: `${toolAddress(site, name)}${query.size > 0 ? `?${query.toString()}` : ''}`,
    method: 'POST',
    token,
    secrets: inAddress === undefined ? [] : [inAddress],
    headers: { 'content-type': 'application/json', 'idempotency-key': key ?? newKey() },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ignoreRetryAfter,
  })
}

export const toolAddress = ({ manifest }: Site, name: string): string =>
  `${manifest?.server.url.replace(/\/+$/, '')}/tools/${encodeURIComponent(name)}`

const newKey = (): string => `check:${randomBytes(8).toString('hex')}:1`

export const readTools = ({ tools }: Site): SiteTool[] => tools.filter(({ effect }) => effect === 'read')

/** The tools that may be called with valid arguments: read tools, or all if the user allows it. */
export const callableTools = (site: Site): SiteTool[] => (site.options.callAll ? site.tools : readTools(site))

/**
 * A body for calls that must be refused: valid arguments for read tools, invalid ones for the others, so that a site
 * that forgets to check the token does nothing.
 */
export const safeBody = ({ effect, inputSchema }: SiteTool): unknown =>
  (effect === 'read' ? sampleArguments(inputSchema) : undefined) ?? violatingArguments(inputSchema) ?? []
