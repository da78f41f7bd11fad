import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { ExecutionContext } from 'ava'
import { listen } from '../../examples/sites/https-server.ts'
import { answering, manifestWith } from './hostile-site.ts'
import { temporaryCertificates } from './https-server.ts'

/** A secret that is found again wherever it turns up. */
export const secretText = (name: string): string => `canary-${name}-${randomBytes(12).toString('hex')}`

/** A token answer as it should be (RFC 6749, 5.1), with tokens that were never given before. */
export const tokenAnswer = (more: Record<string, unknown> = {}) => ({
  access_token: secretText('access'),
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: secretText('refresh'),
  ...more,
})

const tool = (name: string, scope: string) => ({
  name,
  description: `Needs ${scope}.`,
  scope,
  effect: 'read',
  input_schema: { type: 'object', properties: {}, required: [] },
})

/**
 * A site that uses OAuth and signs nobody in: the test plays its pages, so that any code, state and issuer can come
 * back. What came to its token and revocation addresses is kept as it came.
 */
export async function startBareOAuthSite(t: ExecutionContext, auth: Record<string, unknown> = {}) {
  const { server, origin, close } = await listen({ port: 0, tls: await temporaryCertificates() })
  t.teardown(close)
  const site = {
    origin,
    host: new URL(origin).host,
    name: 'A site with OAuth',
    /** `auth` of the manifest; to be changed before a flow is begun. */
    auth: {
      type: 'oauth2',
      authorization_url: `${origin}/authorize`,
      token_url: `${origin}/token`,
      revocation_url: `${origin}/revoke`,
      scopes: ['read', 'write'],
      ...auth,
    } as Record<string, unknown>,
    /** What answers at the token address; a good grant of its own each time unless it is replaced. */
    token: ((request, response) => answering(tokenAnswer())(request, response)) as RequestListener,
    revoke: answering({}),
    tool: answering({ done: true }),
    tokenForms: [] as URLSearchParams[],
    revokeForms: [] as URLSearchParams[],
    /** The bearer tokens that tool calls came with. */
    toolTokens: [] as string[],
    /** Whatever else came, by path: nothing should. */
    strays: [] as string[],
  }
  const manifest = () =>
    manifestWith(`${origin}/api`, {
      name: site.name,
      auth: site.auth,
      tools: [tool('act', 'read'), tool('change', 'write')],
    })

  function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const { pathname } = new URL(request.url ?? '', origin)
    if (pathname === '/.well-known/toolsite.json') return answering(manifest())(request, response)
    if (pathname === '/token') {
      site.tokenForms.push(new URLSearchParams(body))
      return site.token(request, response)
    }
    if (pathname === '/revoke') {
      site.revokeForms.push(new URLSearchParams(body))
      return site.revoke(request, response)
    }
    if (!pathname.startsWith('/api/tools/')) site.strays.push(pathname)
    else site.toolTokens.push((request.headers.authorization ?? '').replace('Bearer ', ''))
    site.tool(request, response)
  }
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    response.on('error', () => response.destroy())
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()))
  })
  return site
}

export type BareOAuthSite = Awaited<ReturnType<typeof startBareOAuthSite>>
