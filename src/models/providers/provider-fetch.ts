import { Agent, fetch, type RequestInit } from 'undici'
import { unreadableAnswer } from '../failures.ts'
import { readableAnswer, type Asked } from './readable-answer.ts'

/** Far above any answer: a model that writes for an hour writes a few mebibytes. */
const maxAnswerBytes = 64 * 1024 * 1024

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
      const answer = bounded(await fetch(address, options))
      return answer.ok ? readableAnswer(answer, asked) : answer
    }
  return { fetchAs, close: () => agent.close() }
}

function bounded(answer: Response): Response {
  if (!answer.body) return answer
  let bytes = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > maxAnswerBytes) controller.error(unreadableAnswer('is longer than 64 MiB'))
      else controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = answer
  return new Response(answer.body.pipeThrough(counted), { status, statusText, headers })
}
