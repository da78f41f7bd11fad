import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen, type ListenOptions } from '../https-server.ts'
import { variants, type ManifestAnswer, type Variant } from './variants.ts'

export interface BrokenManifest {
  origin: string
  /** Serves this response from now on: a variant, or a custom response. */
  serve: (answer: Variant | ManifestAnswer) => void
  close: () => Promise<void>
}

export interface BrokenManifestOptions extends ListenOptions {
  /** The first variant; `several-rules` by default. */
  variant?: Variant
}

/** Starts a site that has only a broken manifest. Throws if the port is taken. */
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
