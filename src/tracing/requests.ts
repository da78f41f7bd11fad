import { SafeFetchError, type SafeFetch, type SafeRequest, type SafeStream } from '../safe-fetch/safe-fetch.ts'
import { names, spanNames } from './names.ts'
import { inSpan, toldTraceparent, type OpenSpan } from './span.ts'

/**
 * Requests to sites as spans of the work that makes them. A site learns of the span only from the work that tells
 * sites. Spans name the host alone: paths may contain arguments, and addresses of callbacks are secrets.
 */
export function tracedRequests<Outgoing extends { fetch: SafeFetch; stream: SafeStream }>(outgoing: Outgoing) {
  const traced = <Request extends SafeRequest, Response extends { status: number }>(
    request: Request,
    send: (request: Request) => Promise<Response>,
  ): Promise<Response> => {
    const { method, url } = request
    return inSpan({ name: spanNames.exchange(method), kind: 'client', attributes: aboutOf(method, url) }, (span) =>
      noted(span, () => send(withTraceparent(request))),
    )
  }
  return {
    ...outgoing,
    fetch: (request: Parameters<SafeFetch>[0]) => traced(request, outgoing.fetch),
    stream: (request: Parameters<SafeStream>[0]) => traced(request, outgoing.stream),
  }
}

async function noted<Response extends { status: number }>(span: OpenSpan, send: () => Promise<Response>) {
  try {
    const response = await send()
    span.set({ [names.status]: response.status })
    if (response.status >= 400) span.fail(String(response.status))
    return response
  } catch (error) {
    if (error instanceof SafeFetchError) span.set({ [names.outcome]: error.code ?? error.reason })
    throw error
  }
}

function withTraceparent<Request extends SafeRequest>(request: Request): Request {
  const traceparent = toldTraceparent()
  return traceparent === undefined ? request : { ...request, headers: { ...request.headers, traceparent } }
}

function aboutOf(method: string, text: string) {
  const url = URL.parse(text)
  const server = url && { [names.host]: url.hostname, [names.port]: Number(url.port || 443) }
  return { [names.method]: method, ...server }
}
