import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { Provider } from 'oidc-provider'
import { createStorage } from '../../examples/sites/contacts/storage.ts'
import { listen } from '../../examples/sites/https-server.ts'
import { temporaryCertificates } from './https-server.ts'
import { startMcpServer } from './mcp-server.ts'

export const pasted = {
  clientId: 'registered-by-hand',
  clientSecret: 'a client secret'.replaceAll(' ', '-').padEnd(40, '+'),
}

interface Options {
  /** Whether clients may register themselves. */
  registers?: boolean
  /** How clients authenticate. */
  method?: 'none' | 'client_secret_post'
  /** Where the platform under test is. Its client `pasted` is known there. */
  platformUrl?: string
}

/** As the platform's addresses contain it. */
export const issuerKeyOf = (issuer: string): string =>
  createHash('sha256').update(issuer).digest('base64url').slice(0, 22)

/**
 * An MCP server that takes only tokens for itself, and its authorization server, which is a real one: it registers
 * clients, and gives tokens for a resource.
 */
export async function startAuthorizedMcpServer(
  t: ExecutionContext,
  { registers = true, method = 'none', platformUrl }: Options = {},
) {
  const server = await startMcpServer(t)
  const { server: https, origin: issuer, close } = await listen({ port: 0, tls: await temporaryCertificates() })
  t.teardown(close)
  const redirectUri = `${platformUrl}/vault/oauth/callback/${issuerKeyOf(issuer)}`
  const state = {
    redirectUri,
    issuer,
    host: new URL(issuer).hostname,
    /** The lifetime of tokens in seconds. */
    tokenSeconds: 600,
    /** The scopes that a call needs. */
    callScope: 'notes:read',
    /** Forms and headers of token requests, as they arrived. */
    tokenRequests: [] as { form: URLSearchParams; authorization: string | undefined }[],
    /** Members that replace those of an answer with these tokens. */
    tokenAnswer: (_tokens: Record<string, unknown>): Record<string, unknown> => ({}),
    revocations: [] as URLSearchParams[],
    /** The bodies of registrations. */
    registrations: [] as Record<string, unknown>[],
    /** Members that replace those of its metadata. */
    metadata: {} as Record<string, unknown>,
    /** The metadata of the MCP server as a protected resource. */
    resource: {
      resource: server.url,
      authorization_servers: [issuer],
      scopes_supported: ['notes:read', 'notes/write+all'],
    },
    /** Ends all tokens and grants. Clients stay known. */
    forget: () => storage.clear(),
  }
  const storage = forgettable()
  const provider = createProvider(issuer, {
    registers,
    method,
    redirectUri: platformUrl === undefined ? '' : redirectUri,
    storage,
    tokenSeconds: () => state.tokenSeconds,
  })
  serve(https, provider, state)

  const metadataPath = '/.well-known/oauth-protected-resource/mcp'
  server.elsewhere = ({ url }, response) => {
    if (url !== metadataPath) response.writeHead(404).end()
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(state.resource))
  }
  const refuse = (response: ServerResponse, status: number, challenge: string) => {
    response.writeHead(status, { 'WWW-Authenticate': challenge }).end()
    return true
  }
  server.guard = async ({ authorization, method }, response) => {
    const token = await provider.AccessToken.find(authorization?.replace('Bearer ', '') ?? '')
    const isValid = token?.isValid && [token.aud].flat().includes(server.url)
    if (!isValid)
      return refuse(response, 401, `Bearer error="invalid_token", resource_metadata="${server.origin}${metadataPath}"`)
    const isEnough = method !== 'tools/call' || token.scope?.split(' ').includes(state.callScope)
    if (!isEnough) return refuse(response, 403, `Bearer error="insufficient_scope", scope="${state.callScope}"`)
    return false
  }
  return Object.assign(state, { server })
}

type AuthorizedMcpServer = Awaited<ReturnType<typeof startAuthorizedMcpServer>>

function forgettable() {
  const clients = createStorage()
  let current = createStorage()
  return {
    adapter: (kind: string) => {
      const own = () => (kind === 'Client' ? clients : current).adapter(kind)
      return {
        upsert: (...given: Parameters<ReturnType<typeof own>['upsert']>) => own().upsert(...given),
        find: (id: string) => own().find(id),
        findByUid: (id: string) => own().findByUid(id),
        findByUserCode: (id: string) => own().findByUserCode(id),
        consume: (id: string) => own().consume(id),
        destroy: (id: string) => own().destroy(id),
        revokeByGrantId: (id: string) => own().revokeByGrantId(id),
      }
    },
    clear: () => void (current = createStorage()),
  }
}

interface ProviderOptions {
  registers: boolean
  method: 'none' | 'client_secret_post'
  redirectUri: string
  storage: ReturnType<typeof forgettable>
  tokenSeconds: () => number
}

function createProvider(
  issuer: string,
  { registers, method, redirectUri, storage, tokenSeconds }: ProviderOptions,
): Provider {
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
  return new Provider(issuer, {
    adapter: storage.adapter,
    clients: redirectUri
      ? [
          {
            client_id: pasted.clientId,
            client_secret: pasted.clientSecret,
            redirect_uris: [redirectUri],
            grant_types: ['authorization_code', 'refresh_token'],
          },
        ]
      : [],
    clientAuthMethods: method === 'none' ? ['none', 'client_secret_basic'] : [method],
    pkce: { required: () => true },
    interactions: { url: (_ctx, { uid }) => `/form/${uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: registers },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: async () => false,
        getResourceServerInfo: async (_ctx, resource) => ({
          scope: 'notes:read notes/write+all notes:delete',
          audience: resource,
          accessTokenFormat: 'opaque',
          accessTokenTTL: tokenSeconds(),
        }),
      },
    },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    jwks: { keys: [{ ...key, use: 'sig', alg: 'RS256', kid: 'one' }] },
    ttl: { AuthorizationCode: 60, IdToken: 600, Interaction: 600, Session: 600, Grant: 6000, RefreshToken: 6000 },
  })
}

function serve(
  https: Awaited<ReturnType<typeof listen>>['server'],
  provider: Provider,
  state: Pick<
    AuthorizedMcpServer,
    'tokenRequests' | 'tokenAnswer' | 'revocations' | 'registrations' | 'metadata' | 'issuer'
  >,
): void {
  provider.use(async (ctx, next) => {
    await next()
    const { route, body } = ctx.oidc ?? {}
    const form = () => new URLSearchParams(body as Record<string, string>)
    if (route === 'token') {
      state.tokenRequests.push({ form: form(), authorization: ctx.get('authorization') || undefined })
      const answer = ctx.body as Record<string, unknown>
      ctx.body = { ...answer, ...state.tokenAnswer(answer) }
    }
    if (route === 'revocation') state.revocations.push(form())
    if (route === 'registration') state.registrations.push(body as Record<string, unknown>)
    if (ctx.path.startsWith('/.well-known/')) ctx.body = { ...(ctx.body as object), ...state.metadata }
  })
  const handle = provider.callback()
  https.on('request', (request, response) => {
    if (request.url?.startsWith('/form/')) void serveForm(provider, request, response)
    else void handle(request, response)
  })
}

const form = '<!doctype html><form method="post"><label>User <input name="user"></label><button>Allow</button></form>'

/** One form for sign-in and consent. Everything that is requested is granted. */
async function serveForm(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.setHeader('content-type', 'text/html').end(form)
  const accountId = new URLSearchParams(await text(request)).get('user') ?? ''
  const params = (await provider.interactionDetails(request, response)).params as Record<string, string | undefined>
  const grant = new provider.Grant({ accountId, clientId: params['client_id'] ?? '' })
  const scope = params['scope'] ?? ''
  grant.addOIDCScope(scope)
  grant.addResourceScope(params['resource'] ?? '', scope)
  const result = { login: { accountId }, consent: { grantId: await grant.save() } }
  response.writeHead(303, { location: await provider.interactionResult(request, response, result) }).end()
}
