import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen, type ListenOptions } from '../https-server.ts'
import { variants, type ManifestAnswer, type Variant } from './variants.ts'

export interface BrokenManifest {
  origin: string
  /** Serves this from now on: one of the variants, or an answer of the caller's own. */
  serve: (answer: Variant | ManifestAnswer) => void
  close: () => Promise<void>
}

export interface BrokenManifestOptions extends ListenOptions {
  /** What is served at first: `several-rules` unless given. */
  variant?: Variant
}

/** Starts a site that has nothing but a manifest, and that one is broken. Fails if the port is taken. */
export async function startBrokenManifest(options: BrokenManifestOptions): Promise<BrokenManifest> {
  const { server, origin, close } = await listen(options)
  let served: Variant | ManifestAnswer = options.variant ?? 'several-rules'

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const asked = request.method === 'GET' && request.url === '/.well-known/toolsite.json'
    const answer = typeof served === 'string' ? variants[served](origin) : served
    send(response, asked ? answer : variants['not-found']())
  })
  return { origin, close, serve: (answer) => void (served = answer) }
}

function send(response: ServerResponse, { status = 200, type = 'application/json', headers, body }: ManifestAnswer) {
  response.writeHead(status, { 'Content-Type': type, ...headers }).end(body)
}
