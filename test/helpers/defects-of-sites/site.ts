import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { listen } from '../../../examples/sites/https-server.ts'
import { temporaryCertificates } from '../https-server.ts'
import type { Defect, SiteRequest, SiteResponse } from './defect.ts'
import { bytesOf, createDefectiveSite, headersOf, toSiteRequest } from './defective-site.ts'

/** A small HTTPS site that is correct except for one defect. Closed with the test. */
export async function startDefectiveSite(t: ExecutionContext, defect: Defect, options: { oauth?: boolean } = {}) {
  const { server, origin, close } = await listen({ port: 0, tls: await temporaryCertificates() })
  t.teardown(close)
  const site = createDefectiveSite(origin, defect, options)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void readRequest(request).then((received) => send(response, site.answer(received)))
  })
  return site
}

async function readRequest(request: IncomingMessage): Promise<SiteRequest> {
  const header = (name: string) => String(request.headers[name] ?? '')
  return toSiteRequest(request.method ?? '', request.url ?? '/', header, await text(request))
}

const send = (response: ServerResponse, answer: SiteResponse): void =>
  void response.writeHead(answer.status, headersOf(answer)).end(bytesOf(answer))
