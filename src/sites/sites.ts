import type { Config } from '../config/config.ts'
import { CodedError, type ErrorDetail } from '../errors.ts'
import { SafeFetchError, type SafeFetch, type SafeFetchReason, type SafeResponse } from '../safe-fetch/safe-fetch.ts'
import { refusedAddress, unreached } from '../safe-fetch/unreached-site.ts'
import { parseSiteUrl } from '../safe-fetch/site-url.ts'
import type * as inThread from '../in-thread.ts'
import { orElse, type Threads } from '../threads/threads.ts'
import { foreignHosts } from './foreign-hosts.ts'
import type { ComparedManifests } from './in-thread.ts'
import { invalidManifest } from './invalid-manifest.ts'
import type { Manifest } from './manifest.ts'
import { createPrivateAddresses } from './private-addresses.ts'
import { describeTool, type SiteTool } from './tool.ts'
import { tooMuch } from './tool-arguments.ts'

export interface DiscoveredSite {
  origin: string
  manifest: Manifest
  tools: SiteTool[]
  foreignHosts: string[]
}

/**
 * Reads the manifests of sites, and validates arguments against their input schemas. Both run in threads, because
 * strangers write the input. `party` is the fairness key there: an owner's id, or a site that is checked for nobody in
 * particular.
 */
export function createSites(context: {
  fetch: SafeFetch
  threads: Threads<typeof inThread>
  config: { sites: Pick<Config['sites'], 'allow' | 'loopback' | 'manifestBytes' | 'manifestTimeoutSeconds'> }
}) {
  const { fetch, threads, config } = context
  const privateAddresses = createPrivateAddresses(config.sites)

  /**
   * Fetches and validates the manifest at the address's origin (docs/specification.md, "Manifest"). Throws INVALID_URL,
   * MANIFEST_NOT_FOUND if it could not be fetched, MANIFEST_INVALID with the problems if it is invalid.
   */
  async function discover(siteUrl: string, party: string): Promise<DiscoveredSite> {
    const { origin } = parseSiteUrl(siteUrl)
    const manifest = await read(await fetchManifest(origin), party)
    return { origin, manifest, tools: manifest.tools.map(describeTool), foreignHosts: foreignHosts(origin, manifest) }
  }

  async function read(bytes: Uint8Array, party: string): Promise<Manifest> {
    const result = await threads.run(party, 'readManifest', bytes).catch(orElse({ problems: [tooComplex] }))
    const manifest = 'text' in result ? (JSON.parse(result.text) as Manifest) : undefined
    const problems = 'text' in result ? [] : result.problems
    if (manifest) problems.push(...privateAddresses(manifest))
    if (manifest && problems.length === 0) return manifest
    throw invalidManifest(problems)
  }

  /**
   * The problems of a tool call's arguments (JSON text), by dotted path, at most 20; empty if valid. Throws
   * MANIFEST_INVALID if the pinned schema can no longer be used.
   */
  async function argumentProblems(schema: unknown, args: string, party: string): Promise<ErrorDetail[]> {
    // Sent as texts: cloning a value of many small parts is slower than parsing it.
    const work = threads.run(party, 'checkArguments', { schema: JSON.stringify(schema), args })
    const result = await work.catch(orElse({ problems: [tooMuch] }))
    if ('problems' in result) return result.problems
    throw new CodedError('MANIFEST_INVALID', { message: result.unusable })
  }

  /**
   * Compares a manifest in use with a later one. Throws MANIFEST_INVALID if that takes too long.
   */
  async function compare(before: Manifest, after: Manifest, party: string): Promise<ComparedManifests> {
    const given = { before: JSON.stringify(before), after: JSON.stringify(after) }
    const compared = await threads.run(party, 'compareTexts', given).catch(orElse(undefined))
    if (compared) return compared
    throw invalidManifest([incomparable])
  }

  async function fetchManifest(origin: string): Promise<Uint8Array> {
    const { status, body } = await request(`${origin}/.well-known/toolsite.json`)
    if (status === 200) return body
    throw new CodedError('MANIFEST_NOT_FOUND', {
      message: `The site responded to the manifest request with status ${status}.`,
    })
  }

  async function request(url: string): Promise<SafeResponse> {
    const { manifestBytes: maxBytes, manifestTimeoutSeconds } = config.sites
    const timeoutMs = manifestTimeoutSeconds * 1000
    try {
      return await fetch({ url, method: 'GET', headers: { accept: 'application/json' }, timeoutMs, maxBytes })
    } catch (error) {
      throw error instanceof SafeFetchError ? toCoded(error, maxBytes) : error
    }
  }

  return {
    discover,
    compare,
    foreignHostsOf: foreignHosts,
    toolsOf: (manifest: Manifest): SiteTool[] => manifest.tools.map(describeTool),
    argumentProblems,
  }
}

export type Sites = ReturnType<typeof createSites>

const tooComplex: ErrorDetail = {
  path: '',
  message: 'takes too long to check because its patterns or schemas are too complex',
}

const incomparable: ErrorDetail = {
  path: '',
  message: 'takes too long to compare with the current manifest',
}

/**
 * Sentences for a missing manifest. A refused name, an unknown name and a closed port share one sentence, because a
 * difference would let anyone map this server's network. An address that is refused as written is public knowledge.
 */
const sentences: Record<Exclude<SafeFetchReason, 'too-large'>, string> = {
  'invalid-url': unreached,
  'refused-address': refusedAddress,
  'refused-name': unreached,
  dns: unreached,
  connect: unreached,
  tls: 'The site has no valid certificate for its host name or does not support TLS.',
  timeout: 'The site did not send its manifest in time.',
  reset: 'The site closed the connection before sending the full manifest.',
  encoding: 'The site sent its manifest in a content encoding that could not be decoded.',
  redirect: 'The site responded to the manifest request with a redirect. Redirects are not followed.',
  aborted: 'The manifest request was aborted.',
}

function toCoded(cause: SafeFetchError, maxBytes: number): CodedError {
  const { reason, message: privateDetail } = cause
  if (reason === 'too-large') {
    const details = [{ path: '', message: `is larger than ${maxBytes} bytes` }]
    return invalidManifest(details, { privateDetail, cause })
  }
  return new CodedError('MANIFEST_NOT_FOUND', { message: sentences[reason], privateDetail, cause })
}
