import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { ExecutionContext } from 'ava'
import { listen } from '../../examples/sites/https-server.ts'
import { answering, manifestWith } from './hostile-site.ts'
import { temporaryCertificates } from './https-server.ts'

/** A secret that tests search for. */
export const secretText = (name: string): string => `canary-${name}-${randomBytes(12).toString('hex')}`

/** A valid token response (RFC 6749, 5.1) with new tokens. */
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
 * An OAuth site without sign-in pages. The test plays them, so that any code, state and issuer can be returned. It
 * records requests to its token and revocation endpoints.
 */
export async function startBareOAuthSite(t: ExecutionContext, auth: Record<string, unknown> = {}) {
  const { server, origin, close } = await listen({ port: 0, tls: await temporaryCertificates() })
  t.teardown(close)
  const site = {
    origin,
    host: new URL(origin).host,
    name: 'A site with OAuth',
    /** `auth` of the manifest. Change it before a flow starts. */
    auth: {
      type: 'oauth2',
      authorization_url: `${origin}/authorize`,
      token_url: `${origin}/token`,
      revocation_url: `${origin}/revoke`,
      scopes: ['read', 'write'],
      ...auth,
    } as Record<string, unknown>,
    /** Answers at the token endpoint; by default with a new valid grant. */
    token: ((request, response) => answering(tokenAnswer())(request, response)) as RequestListener,
    revoke: answering({}),
    tool: answering({ done: true }),
    tokenForms: [] as URLSearchParams[],
    revokeForms: [] as URLSearchParams[],
    toolTokens: [] as string[],
    /** The paths of all other requests, which should not occur. */
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
