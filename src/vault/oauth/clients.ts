import * as v from 'valibot'
import type { Config } from '../../config/config.ts'
import { assertThat, CodedError } from '../../errors.ts'
import { isObject, decodeUtf8, parseJson } from '../../json.ts'
import { quotedWords } from '../../names.ts'
import { SafeFetchError, type SafeFetch, type SafeResponse } from '../../safe-fetch/safe-fetch.ts'
import { unreached } from '../../safe-fetch/unreached-site.ts'
import type { ClientOfSite, ClientSecret, SiteClient } from '../credential.ts'
import type { OAuthClient } from './oauth-client.ts'

/** A client that its owner registered at the site. */
export interface PastedClient {
  id: string
  secret?: string | undefined
}

type Site = Pick<ClientOfSite, 'dialect' | 'auth'>

/** Enough for a registration. */
const maxBytes = 64 * 1024

/**
 * Which client the platform is to a site: the one that the operator configured, or, where the authorization server does
 * not know the platform, one of the flow's own. No two owners share such a client.
 */
export function createClients(context: { fetch: SafeFetch; config: Config; oauthClient: OAuthClient }) {
  const { fetch, config, oauthClient } = context
  const { redirectUri } = oauthClient

  const configuredAt = (address: string): string | undefined =>
    config.oauth.clientIds.find(({ origin }) => origin === new URL(address).origin)?.clientId

  const methodsOf = (site: Site): readonly string[] | undefined =>
    oauthClient.accessTo({ ...site, client: { id: '' } }).server.token_endpoint_auth_methods_supported

  /** Registers a client (RFC 7591, 3.1): a public one if the server takes those. */
  async function register(site: Site, url: string): Promise<SiteClient> {
    const body = JSON.stringify({
      client_name: 'Switchyard',
      client_uri: config.http.baseUrl,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: methodToRegister(methodsOf(site)),
    })
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const timeoutMs = config.sites.tokenTimeoutSeconds * 1000
    try {
      return clientIn(await fetch({ url, method: 'POST', headers, body, timeoutMs, maxBytes }))
    } catch (error) {
      throw error instanceof SafeFetchError ? refused(failureInWords(error)) : error
    }
  }

  function pastedClient(site: Site, { id, secret }: PastedClient): SiteClient {
    if (secret === undefined) return { id }
    return { id, secret: { value: secret, method: methodForSecret(methodsOf(site)) } }
  }

  const isForeign = (site: Site): boolean => oauthClient.accessTo({ ...site, client: { id: '' } }).foreign !== undefined

  /** Whether an owner must register a client at the site before it can be connected. */
  const isMissing = (site: Site, address: string): boolean =>
    isForeign(site) && site.auth.registration_url === undefined && configuredAt(address) === undefined

  return {
    isMissing,

    /**
     * The client for a flow at the site with this key. `known`: the one that holds the grant of an entry. Throws
     * VALIDATION_ERROR if there is none, TOOL_EXECUTION_ERROR if the site registers none.
     */
    async forFlow(
      site: Site,
      address: string,
      { pasted, known }: { pasted?: PastedClient | undefined; known?: SiteClient | undefined },
    ): Promise<SiteClient> {
      const configured = configuredAt(address)
      if (!isForeign(site)) {
        assertThat(!pasted, 'VALIDATION_ERROR', problem('This site knows the platform, so it needs no client id.'))
        return { id: configured ?? config.oauth.clientId }
      }
      if (pasted) return pastedClient(site, pasted)
      if (configured !== undefined) return { id: configured }
      const { registration_url: url } = site.auth
      if (url !== undefined)
        return register(site, url).catch((error: unknown) => {
          if (known && error instanceof CodedError) return known
          throw error
        })
      assertThat(known, 'VALIDATION_ERROR', problem(missing(redirectUri)))
      return known
    },
  }
}

export type Clients = ReturnType<typeof createClients>

const problem = (message: string) => ({ message, details: [{ path: 'clientId', message }] })

const missing = (redirectUri: string): string =>
  `This site does not register clients by itself. Register one at the site with the redirect URI ${redirectUri}, and send its id as "clientId", and its secret, if it has one, as "clientSecret".`

const secretMethods = ['client_secret_basic', 'client_secret_post'] as const

/** Without a list, `client_secret_basic` is what the server takes (RFC 8414, 2), but most such servers take public clients. */
function methodToRegister(methods: readonly string[] = ['none']): string {
  const method = ['none', ...secretMethods].find((one) => methods.includes(one))
  if (method !== undefined) return method
  throw refused(
    `takes none of the ways in which the platform authenticates (${methods.map((one) => quotedWords(one)).join(', ')})`,
  )
}

const methodForSecret = (methods: readonly string[] = []): ClientSecret['method'] =>
  secretMethods.find((one) => methods.includes(one)) ?? 'client_secret_basic'

const visible = (most: number) => v.pipe(v.string(), v.regex(/^[\x20-\x7e]+$/), v.maxLength(most))

/** What a registration answers (RFC 7591, 3.2.1). Servers may choose another way to authenticate. */
const registered = v.object({
  client_id: visible(2048),
  client_secret: v.nullish(visible(4096)),
  token_endpoint_auth_method: v.nullish(v.string()),
})

function clientIn({ status, body }: SafeResponse): SiteClient {
  const parsed = parseJson(decodeUtf8(body) ?? '', { maxDepth: 20 })
  const value = parsed.ok && isObject(parsed.value) ? parsed.value : {}
  if (status < 200 || status > 299) throw refused(`responded with status ${status}${wordsIn(value)}`)
  const read = v.safeParse(registered, value)
  if (!read.success) throw refused('responded without a usable client id')
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: chosen } = read.output
  if (secret == null || chosen === 'none') return { id }
  const method = secretMethods.find((one) => one === (chosen ?? 'client_secret_basic'))
  if (!method)
    throw refused(`wants the platform to authenticate in a way that it does not support, ${quotedWords(chosen ?? '')}`)
  return { id, secret: { value: secret, method } }
}

function wordsIn({ error, error_description: description }: Record<string, unknown>): string {
  const words = [error, description].filter((one) => typeof one === 'string')
  return words.length === 0 ? '' : ` and said ${quotedWords(...words)}`
}

/** The reason is the end of a sentence about the endpoint. */
const refused = (reason: string): CodedError =>
  new CodedError('TOOL_EXECUTION_ERROR', {
    message: `The site did not register the platform as a client. Its registration endpoint ${reason}. You can register a client there yourself and send its id as "clientId".`,
  })

const failureInWords = ({ reason }: SafeFetchError): string =>
  (
    {
      timeout: 'did not respond in time',
      redirect: 'responded with a redirect',
      'too-large': 'sent a response over the size limit',
    } as Record<string, string>
  )[reason] ?? `could not be reached. ${unreached.replace(/\.$/, '')}`
