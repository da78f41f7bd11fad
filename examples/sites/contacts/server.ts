import { listen, type ListenOptions } from '../https-server.ts'
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
  /** Where the platform may be sent back to, letter by letter; by default to a platform on this machine. */
  redirectUris?: string[] | undefined
  /** How long access tokens are good; an hour unless given. */
  accessTokenSeconds?: number | undefined
}

export interface ContactsSite {
  origin: string
  /** The tool calls that arrived, newest last. */
  requests: () => LoggedRequest[]
  /** What came to the token endpoint, newest last. */
  tokenRequests: () => TokenRequest[]
  /** For tokens to come; at least 1. */
  accessTokenSeconds: number
  /** Alters the token answers that are good, for tests of clients. */
  transformToken: TransformToken | undefined
  /** Puts a hook in front of the token endpoint in place of the one before, or none. */
  intercept: (hook: TokenHook | undefined) => void
  /** All access tokens are invalid at once; refresh tokens stay good. */
  expireAccessTokens: () => void
  /** All that users have allowed is void, and with it every token. */
  revokeGrants: () => void
  close: () => Promise<void>
}

const localPlatform = 'http://127.0.0.1:3000/vault/oauth/callback'

/** Starts the site with its first contacts. Fails if the port is taken. */
export async function startContacts(options: ContactsOptions): Promise<ContactsSite> {
  const { server, origin, close } = await listen(options)
  const settings: TokenEndpointSettings & { accessTokenSeconds: number } = {
    accessTokenSeconds: options.accessTokenSeconds ?? 3600,
  }
  const log = createRequestLog()
  const storage = createStorage()
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
    // What comes of a grant is looked up together with it, and is worth nothing without.
    revokeGrants: () => storage.forget('Grant'),
    close,
  }
}

/** What oidc-provider answers: the OAuth endpoints, and the description of them (RFC 8414). */
const isOAuth = (path = ''): boolean => /^\/(?:oauth\/|\.well-known\/oauth-authorization-server(?:$|\?))/.test(path)
