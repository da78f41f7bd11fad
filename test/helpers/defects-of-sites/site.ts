import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ExecutionContext } from 'ava'
import { listen } from '../../../examples/sites/https-server.ts'
import { temporaryCertificates } from '../https-server.ts'
import { goodManifest, redirectUri, type Defect, type Heard, type Rule, type Said } from './defect.ts'
import { createOAuthRules } from './oauth-rules.ts'
import { createToolRules } from './tool-rules.ts'

export interface DefectiveSite {
  origin: string
  /** What came, oldest first, as `POST /api/tools/get_note`. */
  requests: string[]
}

/**
 * A small site over HTTPS that does everything right but for one defect. Its tokens are `good-token` and
 * `limited-token`, or those of its OAuth server, which consents without asking. Gone with the test.
 */
export async function startDefectiveSite(
  t: ExecutionContext,
  defect: Defect,
  { oauth = false } = {},
): Promise<DefectiveSite> {
  const { server, origin, close } = await listen({ port: 0, tls: await temporaryCertificates() })
  t.teardown(close)
  const keeps = (rule: Rule): boolean => defect.without !== rule
  const manifest = goodManifest(origin, oauth)
  const authorization = createOAuthRules(origin, redirectUri, keeps)
  const answerTool = createToolRules(manifest.tools, keeps, oauth ? authorization.scopesOf : undefined)
  const requests: string[] = []

  function answer(heard: Heard): Said {
    if (heard.path === '/.well-known/toolsite.json') {
      return { status: 200, body: defect.manifest ? defect.manifest(manifest) : manifest }
    }
    if (heard.path.startsWith('/api/tools/')) return answerTool(heard)
    return (oauth && authorization.answer(heard)) || { status: 404, body: { error: 'There is nothing here.' } }
  }

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void hear(request).then((heard) => {
      requests.push(`${heard.method} ${heard.path}`)
      const said = answer(heard)
      return send(response, defect.change ? defect.change(said, heard) : said)
    })
  })
  return { origin, requests }
}

async function hear(request: IncomingMessage): Promise<Heard> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'https://site')
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
  const key = String(request.headers['idempotency-key'] ?? '')
  return { method: request.method ?? '', path, query, token, key, body: Buffer.concat(chunks).toString() }
}

function send(response: ServerResponse, said: Said | 'cut' | 'hang'): void {
  if (said === 'cut') response.socket?.destroy()
  if (typeof said === 'string') return
  const { status, headers, body } = said
  const bytes = Buffer.isBuffer(body) ? body : JSON.stringify(body)
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(bytes)
}
