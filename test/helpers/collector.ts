import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { eventually } from './eventually.ts'

/** A span as a collector gets it (OTLP/HTTP, JSON). Links are named as `<trace id>-<span id>`. */
export interface CollectedSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  kind: number
  status: number
  links: string[]
  attributes: Record<string, unknown>
  /** Nanoseconds since 1970. */
  start: bigint
  end: bigint
  /** The process that recorded it. */
  pid: unknown
}

/** A server that speaks OTLP, closed with the test. */
export async function startCollector(t: ExecutionContext) {
  const bodies: string[] = []
  const headers: (string | undefined)[] = []
  async function keep(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    if (request.url === '/v1/traces') bodies.push(body)
    headers.push(request.headers.authorization)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }
  const server = createServer((request, response) => void keep(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const spans = () => bodies.flatMap((body) => spansOf(JSON.parse(body) as Exported))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** The values of the header `authorization`, in order. */
    authorizations: () => headers,
    /** All that was sent, as text. */
    sent: () => bodies.join('\n'),
    /** Waits for a span, of one trace if that is named. */
    span: (name: string, fits: (span: CollectedSpan) => boolean = () => true) =>
      eventually(20, `the span ${name} is exported`, () => spans().find((span) => span.name === name && fits(span))),
  }
}

interface Exported {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Raw[] }[] }[]
}

interface Attribute {
  key: string
  value: Record<string, unknown>
}

interface Raw {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind: number
  status?: { code?: number }
  links?: { traceId: string; spanId: string }[]
  attributes: Attribute[]
  startTimeUnixNano: string
  endTimeUnixNano: string
}

const valuesOf = (attributes: Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansOf = ({ resourceSpans }: Exported): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId, kind, ...raw }) => ({
        name,
        traceId,
        spanId,
        parentSpanId,
        kind,
        status: raw.status?.code ?? 0,
        links: (raw.links ?? []).map((link) => `${link.traceId}-${link.spanId}`),
        attributes: valuesOf(raw.attributes),
        start: BigInt(raw.startTimeUnixNano),
        end: BigInt(raw.endTimeUnixNano),
        pid: valuesOf(resource.attributes)['process.pid'],
      })),
    ),
  )
