import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { listen } from '../../../examples/sites/https-server.ts'
import { temporaryCertificates } from '../https-server.ts'
import type { Defect, Heard, Said } from './defect.ts'
import { bytesOf, createDefectiveSite, headersOf, toHeard } from './defective-site.ts'

/** A small HTTPS site that is correct except for one defect. Closed with the test. */
export async function startDefectiveSite(t: ExecutionContext, defect: Defect, options: { oauth?: boolean } = {}) {
  const { server, origin, close } = await listen({ port: 0, tls: await temporaryCertificates() })
  t.teardown(close)
  const site = createDefectiveSite(origin, defect, options)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void hear(request).then((heard) => send(response, site.answer(heard)))
  })
  return site
}

async function hear(request: IncomingMessage): Promise<Heard> {
  const header = (name: string) => String(request.headers[name] ?? '')
  return toHeard(request.method ?? '', request.url ?? '/', header, await text(request))
}

const send = (response: ServerResponse, said: Said): void =>
  void response.writeHead(said.status, headersOf(said)).end(bytesOf(said))
