import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { listen } from '../examples/sites/https-server.ts'
import type { Json } from './client.ts'
import { createOwnOAuth } from './own-oauth.ts'
import { ownTools, type Reply } from './own-tools.ts'

/** A tool call, as received. */
export interface Arrival {
  method: string
  path: string
  headers: IncomingHttpHeaders
  text: string
  /** When the call arrived and when it was answered, in milliseconds. */
  from: number
  until: number
  status: number
}

/** A request for the manifest, as received. */
interface ManifestRequest {
  method: string
  headers: IncomingHttpHeaders
  /** With the question mark; empty without a query. */
  query: string
  text: string
}

export type OwnSite = Awaited<ReturnType<typeof openOwnSite>>

interface Options {
  port: number
  tls: { certFile: string; keyFile: string }
  auth: 'bearer' | 'oauth2'
}

const manifestPath = '/.well-known/toolsite.json'

/** Serves a site that records its requests. Throws if the port is taken. */
export async function openOwnSite({ port, tls, auth }: Options) {
  const { server, origin, close } = await listen({ port, tls })
  const oauth = createOwnOAuth()
  const arrivals: Arrival[] = []
  const manifestRequests: ManifestRequest[] = []
  const refusedTokens = new Set<string>()
  const good = manifestOf(origin, auth)
  let served: Reply = { body: good }

  server.on('request', (request, response) => void answer(request, response))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request
    const { pathname, search, searchParams } = new URL(request.url ?? '/', origin)
    const text = await textOf(request)
    if (pathname === manifestPath) {
      manifestRequests.push({ method, headers, query: search, text })
      return send(response, served)
    }
    if (pathname === '/oauth/authorize') return send(response, oauth.authorize(searchParams))
    if (pathname === '/oauth/token') return send(response, await oauth.token(method, headers, text))
    const arrival: Arrival = { method, path: pathname, headers, text, from: Date.now(), until: 0, status: 0 }
    arrivals.push(arrival)
    const reply = await callTool(arrival)
    arrival.until = Date.now()
    arrival.status = reply.status ?? 200
    send(response, reply)
  }

  function callTool({ path, headers, text }: Arrival): Reply | Promise<Reply> {
    const token = headers.authorization?.replace(/^Bearer /, '') ?? ''
    const isGood = auth === 'oauth2' ? oauth.isGood(token) : token !== '' && !refusedTokens.has(token)
    if (!isGood) return { status: 401, body: { error: 'The token is not valid.' } }
    const tool = ownTools.find(({ name }) => path === `/api/tools/${name}`)
    return tool ? tool.answer(JSON.parse(text) as Json) : { status: 404, body: { error: 'There is no such tool.' } }
  }

  return {
    origin,
    oauth,
    /** Tool calls, oldest first. */
    arrivals,
    manifestRequests,
    /** The manifest that it serves by default. */
    manifest: good,
    /** Serves this manifest from now on. */
    serve: (reply: Reply) => void (served = reply),
    /** Answers 401 to this token from now on. */
    refuse: (token: string) => void refusedTokens.add(token),
    close,
  }
}

const manifestOf = (origin: string, auth: Options['auth']) => ({
  name: 'A site of the conformance check',
  version: '1.2.3',
  description: 'Things to look at.',
  server: { url: `${origin}/api` },
  auth:
    auth === 'bearer'
      ? { type: auth }
      : {
          type: auth,
          authorization_url: `${origin}/oauth/authorize`,
          token_url: `${origin}/oauth/token`,
          scopes: ['read', 'write', 'delete', 'admin'],
        },
  tools: ownTools.map(({ answer: _answer, ...published }) => published),
})

function send(response: ServerResponse, { status = 200, headers, body }: Reply): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}
