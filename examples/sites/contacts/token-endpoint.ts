import { createHash } from 'node:crypto'
import { IncomingMessage, type ServerResponse } from 'node:http'
import type { Context, Next } from 'koa'
import type { Provider } from 'oidc-provider'
import pLimit from 'p-limit'
import { oauthPaths } from './manifest.ts'

/** One request to the token endpoint. It must never contain a token, only a fingerprint. */
export interface TokenRequest {
  at: string
  grantType: string
  /** The HTTP status of the response; null while, or because, none was sent. */
  status: number | null
  /** The OAuth error code, even if the client never saw it. */
  error: string | null
  /** The first digits of the SHA-256 of the request's refresh token. */
  refreshToken: string | null
  /** Whether that refresh token was already used up before this request. */
  consumedBefore: boolean
}

/**
 * Intercepts a request to the token endpoint, for tests. `proceed` handles the request: tokens are used up and issued,
 * but nothing is sent before the hook returns. So a hook can:
 * - wait before `proceed`: the request is held, and nothing has happened yet;
 * - wait after it: the token is used up, and the client does not know yet;
 * - close the connection, before or after: `response.socket?.destroy()`;
 * - send another response, before, after or instead: `response.writeHead(500).end('…')`.
 * If a hook neither proceeds nor responds nor closes, the client gets a 404.
 */
export type TokenHook = (
  facts: { grantType: string },
  response: ServerResponse,
  proceed: () => Promise<void>,
) => Promise<void>

/** Changes the JSON of a successful token response. */
export type TransformToken = (body: Record<string, unknown>) => unknown

export interface TokenEndpointSettings {
  hook?: TokenHook | undefined
  transformToken?: TransformToken | undefined
}

/** A token request has a few hundred bytes; oidc-provider rejects truncated ones, because their length is wrong. */
const maxFormBytes = 64 * 1024

/**
 * Logs requests to the token endpoint, and lets tests intercept them. This works because oidc-provider is a Koa
 * application: it writes its response only after the last middleware has returned.
 */
export function createTokenEndpoint(settings: TokenEndpointSettings) {
  const requests: TokenRequest[] = []
  const consumed = new Set<string>()
  // One at a time: no other request may run between the check of a token and its mark as used. With a database this is
  // one conditional UPDATE.
  const exclusively = pLimit(1)

  async function answer(ctx: Context, next: Next): Promise<void> {
    if (ctx.method !== 'POST' || ctx.path !== oauthPaths.token) return next()
    const form = new URLSearchParams(await readForm(ctx))
    const entry = describe(form)
    requests.push(entry)
    const proceed = () =>
      exclusively(async () => {
        entry.consumedBefore = consumed.has(entry.refreshToken ?? '')
        await next()
        entry.error = errorOf(ctx)
        transform(ctx, settings.transformToken)
      })
    await (settings.hook ? settings.hook({ grantType: entry.grantType }, ctx.res, proceed) : proceed())
    // Koa must not finish a response that a hook has started.
    if (ctx.res.headersSent) ctx.respond = false
    entry.status = ctx.req.socket.destroyed ? null : ctx.res.statusCode
  }

  return {
    requests: (): TokenRequest[] => requests.map((entry) => ({ ...entry })),
    /** Installs it in front of oidc-provider. */
    attach(provider: Provider): void {
      provider.use(answer)
      provider.on('refresh_token.consumed', ({ jti }) => consumed.add(fingerprint(jti)))
    },
  }
}

/** Reads the form, and leaves oidc-provider a request that it can still read. */
async function readForm(ctx: Context): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of ctx.req as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= maxFormBytes) chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const again = Object.assign(new IncomingMessage(ctx.req.socket), { headers: ctx.req.headers, complete: true })
  again.push(bytes)
  again.push(null)
  ctx.req = again
  return bytes.toString()
}

function describe(form: URLSearchParams): TokenRequest {
  const refreshToken = form.get('refresh_token')
  return {
    at: new Date().toISOString(),
    grantType: form.get('grant_type') ?? '',
    status: null,
    error: null,
    refreshToken: refreshToken === null ? null : fingerprint(refreshToken),
    consumedBefore: false,
  }
}

function errorOf(ctx: Context): string | null {
  const { error } = (ctx.body ?? {}) as { error?: unknown }
  return typeof error === 'string' ? error : null
}

function transform(ctx: Context, transformToken: TransformToken | undefined): void {
  if (ctx.status !== 200 || !transformToken) return
  ctx.body = JSON.stringify(transformToken({ ...(ctx.body as Record<string, unknown>) }))
  ctx.type = 'json'
}

/** As in `TokenRequest`; for tests that look for a token. */
export const fingerprint = (token: string): string => createHash('sha256').update(token).digest('hex').slice(0, 16)
