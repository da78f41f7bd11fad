import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ExecutionContext } from 'ava'
import { listen } from '../../examples/sites/https-server.ts'
import { temporaryCertificates } from './https-server.ts'

type Json = Record<string, unknown>

/** A request other than for the manifest. */
interface LoggedRequest {
  origin: string
  path: string
  authorized: boolean
}

/** A tool in a manifest, by default without arguments. */
export const toolOf = (name: string, more: Json = {}): Json => ({
  name,
  description: `Does ${name}.`,
  input_schema: { type: 'object', properties: {} },
  ...more,
})

/** The response of both origins at `/token`: an access token that must soon be refreshed. */
const tokens = { access_token: 'new-access', token_type: 'Bearer', expires_in: 1, refresh_token: 'new-refresh' }

/**
 * A site whose manifest the test changes. It has two origins. The first has the manifest. Both serve tools and log
 * requests, with whether they carried a credential. `hits` counts the requests for the manifest.
 */
export async function startChangingSite(t: ExecutionContext) {
  const tls = await temporaryCertificates()
  const requests: LoggedRequest[] = []
  const waiting: (() => void)[] = []
  const [first, second] = await Promise.all([listen({ port: 0, tls }), listen({ port: 0, tls })])
  t.teardown(first.close)
  t.teardown(second.close)
  const site = {
    origin: first.origin,
    otherOrigin: second.origin,
    /** The second origin under a foreign host name. */
    foreignOrigin: second.origin.replace('127.0.0.1', 'localhost'),
    caFile: tls.caFile,
    allow: [first.origin, second.origin, second.origin.replace('127.0.0.1', 'localhost')].map(
      (origin) => new URL(origin).host,
    ),
    manifest: {
      name: 'A changing site',
      version: '1',
      description: 'Changes.',
      server: { url: `${first.origin}/v1` },
      auth: { type: 'bearer' },
      tools: [toolOf('get_one'), toolOf('get_two'), toolOf('wait_here')],
    } as Json,
    /** Sent instead of the manifest. */
    refusal: undefined as { status: number; body: string } | undefined,
    hits: 0,
    /** Lets calls of the tool `wait_here` return. */
    release: () => {
      for (const answer of waiting.splice(0)) answer()
    },
    waiting: () => waiting.length,
    change: (members: Json) => void (site.manifest = { ...site.manifest, ...members }),
    /** The received tool calls as `<origin><path>`, except calls of `wait_here`. */
    calls: () =>
      requests
        .filter(({ path }) => path.includes('/tools/') && !path.endsWith('/wait_here'))
        .map(({ origin, path }) => origin + path),
    requests,
  }

  function answer(origin: string, request: IncomingMessage, response: ServerResponse): void {
    request.resume()
    const path = request.url ?? ''
    if (path === '/.well-known/toolsite.json') {
      site.hits += 1
      const { status, body } = site.refusal ?? { status: 200, body: JSON.stringify(site.manifest) }
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
      return
    }
    requests.push({ origin, path, authorized: request.headers.authorization !== undefined })
    const body = path === '/token' ? tokens : { done: path }
    const done = () => void response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    if (path.endsWith('/wait_here')) waiting.push(done)
    else done()
  }
  for (const { server, origin } of [first, second]) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => answer(origin, request, response))
  }
  return site
}

export type ChangingSite = Awaited<ReturnType<typeof startChangingSite>>
