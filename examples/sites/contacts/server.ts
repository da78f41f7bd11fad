import { listen, type ListenOptions } from '../https-server.ts'
import { keptFile } from '../kept-file.ts'
import { createKeptAnswers } from '../issue-tracker/kept-answers.ts'
import { createRequestLog, type LoggedRequest } from '../request-log.ts'
import { createApp } from './app.ts'
import { createContacts } from './contacts.ts'
import { createOAuth } from './oauth.ts'
import { createStorage } from './storage.ts'
import {
  createTokenEndpoint,
  type TokenEndpointSettings,
  type TokenHook,
  type TokenRequest,
  type TransformToken,
} from './token-endpoint.ts'
import { createTools } from './tools.ts'

export interface ContactsOptions extends ListenOptions {
  /** The platform's redirect URIs, compared character by character; by default a platform on this machine. */
  redirectUris?: string[] | undefined
  /** Where it is reached, if that is not where it listens. */
  origin?: string | undefined
  /** The lifetime of access tokens; an hour by default. */
  accessTokenSeconds?: number | undefined
  /** Where grants and tokens outlive the process; by default they end with it. */
  tokenFile?: string | undefined
}

export interface ContactsSite {
  origin: string
  /** The tool calls received, newest last. */
  requests: () => LoggedRequest[]
  /** The requests to the token endpoint, newest last. */
  tokenRequests: () => TokenRequest[]
  /** For future tokens; at least 1. */
  accessTokenSeconds: number
  /** Changes successful token responses, for tests of clients. */
  transformToken: TransformToken | undefined
  /** Sets or removes the hook of the token endpoint. */
  intercept: (hook: TokenHook | undefined) => void
  /** Invalidates all access tokens; refresh tokens stay valid. */
  expireAccessTokens: () => void
  /** Revokes all grants, and with them every token. */
  revokeGrants: () => void
  close: () => Promise<void>
}

const localPlatform = 'http://127.0.0.1:3000/vault/oauth/callback'

/** Starts the site with sample contacts. Throws if the port is taken. */
export async function startContacts(options: ContactsOptions): Promise<ContactsSite> {
  const { server, origin: own, close } = await listen(options)
  const { origin = own } = options
  const settings: TokenEndpointSettings & { accessTokenSeconds: number } = {
    accessTokenSeconds: options.accessTokenSeconds ?? 3600,
  }
  const log = createRequestLog()
  const storage = createStorage(Date.now, keptFile(options.tokenFile))
  const tokenEndpoint = createTokenEndpoint(settings)
  const provider = createOAuth({
    issuer: origin,
    redirectUris: options.redirectUris ?? [localPlatform],
    storage,
    accessTokenSeconds: () => settings.accessTokenSeconds,
  })
  tokenEndpoint.attach(provider)
  const app = createApp({
    origin,
    log,
    provider,
    tools: createTools(createContacts()),
    keptAnswers: createKeptAnswers(),
  })
  const [answerOAuth, answer] = [provider.callback(), app.callback()]
  server.on('request', (request, response) => void (isOAuth(request.url) ? answerOAuth : answer)(request, response))

  return {
    origin,
    requests: log.list,
    tokenRequests: tokenEndpoint.requests,
    get accessTokenSeconds() {
      return settings.accessTokenSeconds
    },
    set accessTokenSeconds(seconds) {
      settings.accessTokenSeconds = seconds
    },
    get transformToken() {
      return settings.transformToken
    },
    set transformToken(transform) {
      settings.transformToken = transform
    },
    intercept: (hook) => void (settings.hook = hook),
    expireAccessTokens: () => storage.forget('AccessToken'),
    // Tokens are looked up together with their grant, and are invalid without it.
    revokeGrants: () => storage.forget('Grant'),
    close,
  }
}

/** The paths of oidc-provider: the OAuth endpoints and their metadata (RFC 8414). */
const isOAuth = (path = ''): boolean => /^\/(?:oauth\/|\.well-known\/oauth-authorization-server(?:$|\?))/.test(path)
