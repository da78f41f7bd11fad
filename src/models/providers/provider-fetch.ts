import { Agent, fetch, type RequestInit } from 'undici'
import { boundedBytes } from './bounded-bytes.ts'
import { readableAnswer, type Asked } from './readable-answer.ts'

/**
 * The `fetch` of the AI providers' adapters, which also converts answers to the form that adapters read. The operator
 * chooses providers, so plain HTTP and private addresses are allowed. A redirect is never followed, because it would
 * take the key to another server.
 */
export function createProviderFetch() {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 10_000 } })

  /** Adapters pass an address and options, never a `Request`. */
  const fetchAs =
    (asked: Asked): typeof globalThis.fetch =>
    async (input, init) => {
      const options = { ...(init as object), redirect: 'manual', dispatcher: agent } satisfies RequestInit
      const address = input instanceof Request ? input.url : input
      const answer = await fetch(address, options)
      return answer.ok ? readableAnswer(answer, asked) : refusal(answer)
    }
  return { fetchAs, close: () => agent.close() }
}

/** An answer with another status, whose body says why. */
function refusal(answer: Response): Response {
  const { status, statusText, headers } = answer
  return new Response(answer.body && ReadableStream.from(boundedBytes(answer)), { status, statusText, headers })
}
