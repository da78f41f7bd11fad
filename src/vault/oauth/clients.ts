import type { AuthorizationServer } from 'oauth4webapi'
import type { Config } from '../../config/config.ts'
import { assertThat, isCoded, problemAt } from '../../errors.ts'
import { readAllowedSites } from '../../safe-fetch/allowed-sites.ts'
import type { SafeFetch } from '../../safe-fetch/safe-fetch.ts'
import type { Manifest } from '../../sites/manifest.ts'
import type { ClientOfSite, SiteClient } from '../credential.ts'
import type { OAuthClient } from './oauth-client.ts'
import { createRedirectUris } from './redirect-uris.ts'
import { register, secretMethods, type ClientMetadata } from './registration.ts'

/** A client that its owner registered at the site. */
export interface PastedClient {
  id: string
  secret?: string | undefined
}

interface Wanted {
  pasted: PastedClient | undefined
  /** The client that holds the grant of an entry. */
  former: SiteClient | undefined
  scopes: readonly string[]
}

type Site = Pick<ClientOfSite, 'dialect' | 'auth'>

/**
 * Which client the platform is to a site: the one that the operator configured for it, or, where the authorization
 * server does not know the platform, the one that is named by the address of its metadata, or one of the flow's own.
 * Only clients without a secret are the same for several owners.
 */
export function createClients(context: { fetch: SafeFetch; config: Config; oauthClient: OAuthClient }) {
  const { fetch, config, oauthClient } = context
  const { baseUrl } = config.http
  const { redirectUri, documentUrl } = createRedirectUris(baseUrl)
  const metadataWith = (uri: string): ClientMetadata => ({
    client_name: 'Switchyard',
    client_uri: baseUrl,
    redirect_uris: [uri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    // Servers that check it want TLS of web applications (OpenID Connect Registration, 2).
    application_type: baseUrl.startsWith('https:') ? 'web' : 'native',
  })
  /** Whether authorization servers can read the platform's metadata. */
  const isReachable = isPublic(baseUrl)

  const configuredAt = (address: string): string | undefined =>
    config.oauth.clientIds.find(({ origin }) => origin === new URL(address).origin)?.clientId

  /** A client that the authorization server may know, or learn to know. */
  function known(site: Site, address: string) {
    const { server } = oauthClient.accessTo(site)
    const key = oauthClient.issuerKeyOf(site)
    const isNamed = key !== undefined && isReachable && server.client_id_metadata_document_supported === true
    return {
      methods: server.token_endpoint_auth_methods_supported,
      id: configuredAt(address) ?? (isNamed && cannotBeMixedUp(server) ? documentUrl(key) : undefined),
      registrationUrl: server.registration_endpoint,
    }
  }

  return {
    /**
     * The metadata of the client of a foreign issuer, which is named by its address
     * (draft-ietf-oauth-client-id-metadata-document).
     */
    document: (key: string) => ({ client_id: documentUrl(key), ...metadataWith(redirectUri(key)) }),

    /**
     * Whether an owner must register a client at the site before it can be connected, and with which redirect URI;
     * null for a site without OAuth.
     */
    needed(dialect: Site['dialect'], auth: Manifest['auth'], address: string) {
      if (auth.type !== 'oauth2') return { needsClientId: false, redirectUri: null }
      const site = { dialect, auth }
      const { id, registrationUrl } = known(site, address)
      const needsClientId = oauthClient.accessTo(site).foreign !== undefined && (id ?? registrationUrl) === undefined
      return { needsClientId, redirectUri: oauthClient.redirectUriOf(site) }
    },

    /**
     * The client for a flow at the site with this key. Throws VALIDATION_ERROR if there is none, and
     * TOOL_EXECUTION_ERROR if the site registers none.
     */
    async forFlow(site: Site, address: string, { pasted, former, scopes }: Wanted): Promise<SiteClient> {
      if (oauthClient.accessTo(site).foreign === undefined) {
        assertThat(!pasted, 'VALIDATION_ERROR', problem('This site needs no client id of your own.'))
        return { id: configuredAt(address) ?? config.oauth.clientId }
      }
      const { methods, id, registrationUrl: url } = known(site, address)
      if (pasted) return withMethod(pasted, methods)
      if (id !== undefined) return { id }
      if (url === undefined) {
        assertThat(former, 'VALIDATION_ERROR', problem(missing(oauthClient.redirectUriOf(site))))
        return former
      }
      const request = { url, methods, scopes, timeoutMs: config.sites.tokenTimeoutSeconds * 1000 }
      return register(fetch, request, metadataWith(oauthClient.redirectUriOf(site))).catch((error: unknown) => {
        if (former && isCoded(error)) return former
        throw error
      })
    },
  }
}

export type Clients = ReturnType<typeof createClients>

/**
 * Every server that reads documents accepts every document, whichever server it is for. So another server's page could
 * be named as the authorization endpoint, unless its host is the issuer's or responses name their issuer (RFC 9207).
 */
const cannotBeMixedUp = (server: AuthorizationServer): boolean =>
  server.authorization_response_iss_parameter_supported === true ||
  URL.parse(server.authorization_endpoint ?? '')?.origin === URL.parse(server.issuer)?.origin

function isPublic(baseUrl: string): boolean {
  const url = new URL(baseUrl)
  return url.protocol === 'https:' && !readAllowedSites({ allow: [], loopback: false }).refuses(url)
}

function withMethod({ id, secret }: PastedClient, methods: readonly string[] = []): SiteClient {
  const method = secretMethods.find((one) => methods.includes(one)) ?? 'client_secret_basic'
  return secret === undefined ? { id } : { id, secret: { value: secret, method } }
}

const problem = (message: string) => problemAt('clientId', message)

const missing = (redirectUri: string): string =>
  `This site does not register clients itself. Register one at the site with the redirect URI ${redirectUri}, and send its id as "clientId" and its secret, if it has one, as "clientSecret".`
