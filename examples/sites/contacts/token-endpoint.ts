import { createHash } from 'node:crypto'
import { IncomingMessage, type ServerResponse } from 'node:http'
import type { Context, Next } from 'koa'
import type { Provider } from 'oidc-provider'
import pLimit from 'p-limit'
import { oauthPaths } from './manifest.ts'

/** One request to the token endpoint. Tokens are not here, and must not come here: only what tells them apart. */
export interface TokenRequest {
  at: string
  grantType: string
  /** The HTTP status that the client was sent; null as long as (or because) it was sent none. */
  status: number | null
  /** The error code of OAuth that the request came to, even if the client never saw it. */
  error: string | null
  /** The first digits of the SHA-256 of the refresh token that came with it. */
  refreshToken: string | null
  /** Whether that refresh token had been used up before this request was handled. */
  consumedBefore: boolean
}

/**
 * Stands in the way of a request to the token endpoint, for tests. `proceed` has it handled: tokens are used up and
 * made, but nothing of it is sent before the hook has returned. So a hook can
 *  - wait before `proceed`: the request is held and nothing has happened yet;
 *  - wait after it: the token is used up, and the client does not know yet;
 *  - cut the connection, before or after: `response.socket?.destroy()`;
 *  - answer otherwise, before, after or instead: `response.writeHead(500).end('…')`; this is what is sent then.
 * A hook that neither proceeds nor answers nor cuts leaves the client with a 404.
 */
export type TokenHook = (
  facts: { grantType: string },
  response: ServerResponse,
  proceed: () => Promise<void>,
) => Promise<void>

/** Alters the JSON of a token answer that is good. */
export type TransformToken = (body: Record<string, unknown>) => unknown

export interface TokenEndpointSettings {
  hook?: TokenHook | undefined
  transformToken?: TransformToken | undefined
}

/** A token request has a few hundred bytes; oidc-provider refuses what was cut here, since its length is wrong then. */
const largestForm = 64 * 1024

/**
 * Notes what comes to the token endpoint, and lets tests stand in the way. It works because oidc-provider is a Koa
 * application: what it decides is written to the connection only after the last middleware has returned.
 */
export function createTokenEndpoint(settings: TokenEndpointSettings) {
  const requests: TokenRequest[] = []
  const consumed = new Set<string>()
  // One after another: between looking whether a token was used and marking it as used nobody else may look. With a
  // database this is one conditional UPDATE.
  const inTurn = pLimit(1)

  async function answer(ctx: Context, next: Next): Promise<void> {
    if (ctx.method !== 'POST' || ctx.path !== oauthPaths.token) return next()
    const form = new URLSearchParams(await readForm(ctx))
    const entry = describe(form)
    requests.push(entry)
    const proceed = () =>
      inTurn(async () => {
        entry.consumedBefore = consumed.has(entry.refreshToken ?? '')
        await next()
        entry.error = errorOf(ctx)
        transform(ctx, settings.transformToken)
      })
    await (settings.hook ? settings.hook({ grantType: entry.grantType }, ctx.res, proceed) : proceed())
    // What a hook has begun to send is not for Koa to finish.
    if (ctx.res.headersSent) ctx.respond = false
    entry.status = ctx.req.socket.destroyed ? null : ctx.res.statusCode
  }

  return {
    requests: (): TokenRequest[] => requests.map((entry) => ({ ...entry })),
    /** Puts it in front of oidc-provider. */
    attach(provider: Provider): void {
      provider.use(answer)
      provider.on('refresh_token.consumed', ({ jti }) => consumed.add(fingerprint(jti)))
    },
  }
}

/** Reads the form, and leaves oidc-provider a request that it can read for itself. */
async function readForm(ctx: Context): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of ctx.req as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= largestForm) chunks.push(chunk)
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

/** As in `TokenRequest`; for tests that have a token and look for it. */
export const fingerprint = (token: string): string => createHash('sha256').update(token).digest('hex').slice(0, 16)
