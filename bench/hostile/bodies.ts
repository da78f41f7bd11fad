import { gzipSync } from 'node:zlib'
import { sendRaw } from '../../test/helpers/client.ts'
import { variantsOf, type Components, type Schema } from './variants.ts'

interface Operation {
  requestBody?: { content: Record<string, { schema: Schema }> }
  security?: Record<string, unknown>[]
}

/** The OpenAPI document, as far as it is used here. */
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Components }
}

export interface Place {
  url: string
  headers: Record<string, string>
  params: Record<string, string>
}

const mebibyte = 1024 * 1024
/** These operations accept the largest bodies; all others accept a quarter of a mebibyte. */
const large = new Set(['POST /chat/messages', 'POST /api/webhooks/agent/{agentId}', 'POST /agents/{agentId}/runs'])
/** These would delete what the other cases need. */
const deadly = new Set(['DELETE /auth/me', 'POST /billing/stripe-webhook'])

/** The largest bodies of each operation that takes one, plain and with gzip, and a function that sends each. */
export async function largestBodies({ url, headers, params }: Place) {
  const { bytes } = await sendRaw(`${url}/openapi.json`, {})
  const document = JSON.parse(bytes.toString()) as Document
  const groups: Record<string, Record<string, () => Promise<number>>> = {}
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const schema = requestBody?.content['application/json']?.schema
      const name = `${method.toUpperCase()} ${path}`
      if (!schema || deadly.has(name)) continue
      const to = url + path.replaceAll(/\{(\w+)\}/g, (_, param: string) => params[param] ?? crypto.randomUUID())
      const size = large.has(name) ? mebibyte : mebibyte / 4
      groups[name] = Object.fromEntries(
        Object.entries(variantsOf(schema, document.components.schemas, size)).flatMap(([what, text]) => [
          [what, () => send(to, method, text)],
          [`${what}, by gzip`, () => send(to, method, gzipSync(text), { 'content-encoding': 'gzip' })],
        ]),
      )
    }
  }
  return groups

  async function send(to: string, method: string, body: string | Buffer, more: Record<string, string> = {}) {
    const all = { 'content-type': 'application/json', ...headers, ...more }
    return (await sendRaw(to, { method: method.toUpperCase(), headers: all, body })).status
  }
}
