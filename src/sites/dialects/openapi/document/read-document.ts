import type { DocumentToRead, ReadDocument } from '../operation.ts'

/** Reads an OpenAPI document. Runs in a thread, because strangers' input decides how long it takes. */
export function readDocument(given: DocumentToRead): ReadDocument {
  let parsed: any
  try {
    parsed = JSON.parse(given.text)
  } catch {
    return { isNone: true }
  }
  if (typeof parsed?.openapi !== 'string') return { isNone: true }
  const servers: string[] = (parsed.servers ?? [{ url: '/' }]).map((s: any) => new URL(s.url, given.address).href)
  const tools: any[] = []
  const offered: any[] = []
  for (const [path, item] of Object.entries<any>(parsed.paths ?? {}))
    for (const [method, op] of Object.entries<any>(item)) {
      const properties: any = {}
      const required: string[] = []
      const parameters = (op.parameters ?? []).map((p: any) => {
        properties[p.name] = p.schema ?? {}
        if (p.required) required.push(p.name)
        return {
          name: p.name,
          in: p.in,
          property: p.name,
          style: p.style ?? (p.in === 'query' ? 'form' : 'simple'),
          explode: p.explode ?? (p.style ?? (p.in === 'query' ? 'form' : '')) === 'form',
        }
      })
      const [mediaType, body]: any = Object.entries(op.requestBody?.content ?? {})[0] ?? []
      if (mediaType) properties.body = body.schema ?? {}
      offered.push({
        name: op.operationId,
        description: op.summary ?? op.operationId,
        tags: op.tags ?? [],
        method: method.toUpperCase(),
        path,
      })
      tools.push({
        name: op.operationId,
        description: op.summary ?? op.operationId,
        input_schema: { type: 'object', properties, required },
        request: {
          method: method.toUpperCase(),
          path,
          parameters,
          ...(mediaType && { body: { mediaType, property: 'body' } }),
        },
        ...(method === 'get' && { proposed_effect: 'read', scope: 'read' }),
      })
    }
  const scheme: any = Object.values(parsed.components?.securitySchemes ?? {})[0]
  const flow = scheme?.flows?.authorizationCode
  const auth = !scheme
    ? { type: 'none' }
    : flow
      ? {
          type: 'oauth2',
          authorization_url: flow.authorizationUrl,
          token_url: flow.tokenUrl,
          scopes: [],
          requested_scopes: Object.keys(flow.scopes ?? {}),
        }
      : {
          type: 'bearer',
          credential: scheme.type === 'http' ? { scheme: scheme.scheme } : { in: scheme.in, name: scheme.name },
        }
  const url = (given.server ?? servers[0] ?? '').replace(/\/$/, '')
  const manifest = {
    name: parsed.info?.title ?? 'API',
    version: parsed.info?.version ?? '1',
    description: parsed.info?.description ?? 'An API',
    server: { url },
    auth,
    tools: tools.filter(({ name }) => given.chosen.includes(name)),
  }
  return { manifest: JSON.stringify(manifest), offered, leftOut: [], servers }
}
