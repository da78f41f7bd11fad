import { Agent, request } from 'undici'
import { readAuthorities } from './authorities.ts'
import { getCACertificates } from 'node:tls'

/** A request from the platform to its own API. */
export interface OwnRequest {
  url: string
  headers: Record<string, string>
  body: string
  timeoutMs: number
}

export interface OwnResponse {
  status: number
  /** At most 64 KiB. */
  text: string
}

/** The size of a response that is read, in bytes; ours are far smaller. */
const mostBytes = 64 * 1024

/**
 * Posts to the API's own address, which only the operator sets, so that it may be private and plain http. Throws if there
 * is no response in time.
 */
export function createOwnFetch({ caFile }: { caFile?: string | undefined }) {
  const ca = [...getCACertificates('default'), ...(caFile ? [readAuthorities(caFile)] : [])]
  const dispatcher = new Agent({ connect: { ca, timeout: 10_000 }, pipelining: 0 })
  return {
    async post({ url, headers, body, timeoutMs }: OwnRequest): Promise<OwnResponse> {
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await request(url, { method: 'POST', headers, body, signal, dispatcher })
      return { status: response.statusCode, text: await textOf(response.body) }
    },

    close: (): Promise<void> => dispatcher.destroy(),
  }
}

export type OwnFetch = ReturnType<typeof createOwnFetch>

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > mostBytes) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
