import { LRUCache } from 'lru-cache'
import * as oauth from 'oauth4webapi'
import { earliest, later, type Clock } from '../clock.ts'
import { CodedError, isCoded } from '../errors.ts'
import { isObject, parseJson } from '../json.ts'
import { noteInLog } from '../logger.ts'
import { quotedWords } from '../names.ts'
import type { oauthFetch } from '../safe-fetch/oauth-fetch.ts'
import { parseSiteUrl } from '../safe-fetch/site-url.ts'

import { isSameIssuer } from '../vault/oauth/authorization-answer.ts'
import type { Provider } from './provider.ts'

/** The library's fetch for a provider: the operator's, or the one for workspaces. */
export type FetchFor = (provider: Provider) => ReturnType<typeof oauthFetch>

/**
 * How long a document and a failure are cached, in seconds. A document that caused an error is cached no longer than a
 * failure.
 */
const freshSeconds = 600
const failedSeconds = 10
/** The most cached documents in a process. */
const remembered = 500

/** Asymmetric signatures only: with a shared secret, anyone with the client's secret could forge a token. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

interface Known {
  readAt: Date
  until: Date
  server: Promise<oauth.AuthorizationServer>
}

/**
 * Providers' metadata (OpenID Connect Discovery, 4), cached for some minutes. Concurrent requests for one document
 * share one fetch.
 */
export function createDiscovery({ clock, fetchFor }: { clock: Clock; fetchFor: FetchFor }) {
  const known = new LRUCache<string, Known>({ max: remembered })

  async function discover(provider: Provider): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(provider.issuer)
    const options = { algorithm: 'oidc', [oauth.customFetch]: fetchFor(provider) } as const
    const answer = await oauth.discoveryRequest(issuer, options)
    const stated = await issuerIn(answer.clone())
    if (stated !== undefined) assertIssuer(stated, provider)
    return usable(await oauth.processDiscoveryResponse(stated === undefined ? issuer : new URL(stated), answer))
  }

  // The operator's fetch reaches hosts that a workspace's does not.
  const nameOf = ({ workspaceProviderId, issuer }: Provider): string =>
    `${workspaceProviderId === null ? 'installation' : 'workspace'} ${issuer}`

  /** The provider's metadata. Fails with SafeFetchError, the library's errors, or SITE_UNAVAILABLE. */
  function serverOf(provider: Provider): Promise<oauth.AuthorizationServer> {
    noteInLog({ provider: provider.id, issuer: provider.issuer })
    const key = nameOf(provider)
    const now = clock.now()
    const found = known.get(key)
    if (found && found.until > now) return found.server
    const server = discover(provider)
    const entry = { readAt: now, until: later(now, freshSeconds), server }
    known.set(key, entry)
    server.catch(() => (entry.until = later(clock.now(), failedSeconds)))
    return server
  }

  /** A request to an address in the document failed, so it may be outdated: the next request reads it again. */
  function expireSoon(provider: Provider): void {
    const entry = known.get(nameOf(provider))
    if (entry) entry.until = earliest(entry.until, later(entry.readAt, failedSeconds))
  }

  /** `forget` clears the cache, for tests whose providers change. */
  return { serverOf, expireSoon, forget: () => known.clear() }
}

export type Discovery = ReturnType<typeof createDiscovery>

/** The issuer in a document; undefined if it is invalid, which the library refuses. */
async function issuerIn(answer: Response): Promise<string | undefined> {
  const parsed = parseJson(await answer.text())
  const stated = parsed.ok && isObject(parsed.value) ? parsed.value['issuer'] : undefined
  return typeof stated === 'string' && URL.canParse(stated) ? stated : undefined
}

/** A final slash makes no difference: the document has the same address. */
function assertIssuer(stated: string, { issuer }: Provider): void {
  if (isSameIssuer(stated, issuer)) return
  const message = `The sign-in provider's issuer is ${quotedWords(stated)}, which differs from the configured issuer.`
  const privateDetail = `the document of ${issuer} states the issuer ${JSON.stringify(stated.slice(0, 200))}`
  throw new CodedError('PERMISSION_DENIED', { message, details: [{ path: 'issuer', message }], privateDetail })
}

/** The parts of the document that we use. */
function usable(server: oauth.AuthorizationServer): oauth.AuthorizationServer {
  const { authorization_endpoint: authorize, token_endpoint: token, jwks_uri: keys } = server
  for (const address of [authorize, token, keys]) assertAddress(address)
  const said = textsOf(server.id_token_signing_alg_values_supported) ?? ['RS256']
  const methods = textsOf(server.token_endpoint_auth_methods_supported)
  const modes = textsOf(server.response_modes_supported)
  return {
    issuer: server.issuer,
    ...pick(server, 'authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'),
    id_token_signing_alg_values_supported: algorithms.filter((one) => said.includes(one)),
    ...(methods && { token_endpoint_auth_methods_supported: methods }),
    ...(modes && { response_modes_supported: modes }),
    authorization_response_iss_parameter_supported: server.authorization_response_iss_parameter_supported === true,
  }
}

const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : undefined

type Address = 'authorization_endpoint' | 'token_endpoint' | 'jwks_uri' | 'userinfo_endpoint'

const pick = (server: oauth.AuthorizationServer, ...names: Address[]): Partial<Record<Address, string>> =>
  Object.fromEntries(names.flatMap((name) => (typeof server[name] === 'string' ? [[name, server[name]]] : [])))

/** The browser is sent to such an address; a `javascript:` URL would run here. */
function assertAddress(address: unknown): void {
  try {
    parseSiteUrl(typeof address === 'string' ? address : '')
  } catch (error) {
    if (!isCoded(error)) throw error
    const message = "The sign-in provider's discovery document lacks an endpoint or has one that is not an https URL."
    throw new CodedError('SITE_UNAVAILABLE', { message, retryable: false })
  }
}
