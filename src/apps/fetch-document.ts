import type { SafeFetch } from '../safe-fetch/safe-fetch.ts'
import { maxClientBytes } from './check-client.ts'

const timeoutMs = 5000

/** The safe fetch in the form that the library calls for the metadata document of a client. */
export const fetchDocument =
  (fetch: SafeFetch) =>
  async (url: string | URL | Request, { signal }: RequestInit = {}): Promise<Response> => {
    const { status, headers, body } = await fetch({
      url: url instanceof Request ? url.url : String(url),
      method: 'GET',
      headers: { accept: 'application/json' },
      timeoutMs,
      maxBytes: maxClientBytes,
      signal: signal ?? undefined,
    })
    return new Response(status === 200 ? new Uint8Array(body) : null, { status: Math.max(status, 200), headers })
  }
