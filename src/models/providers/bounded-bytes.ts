import { setTimeout as delay } from 'node:timers/promises'
import { unreadableAnswer } from '../failures.ts'
import { busyShare, restMs } from '../pace.ts'

/** Far above any answer: a model that writes for an hour writes a few mebibytes. */
const maxAnswerBytes = 64 * 1024 * 1024

/**
 * The bytes of an answer as they come, or in longer pieces if the process is busy. A stream that transforms them would
 * cost several times as much for each word.
 */
export async function* boundedBytes({ body }: Response): AsyncGenerator<Uint8Array> {
  let bytes = 0
  let begunAt: number | undefined
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxAnswerBytes) throw unreadableAnswer('is longer than 64 MiB')
    yield chunk
    begunAt ??= performance.now()
    const rest = restMs(chunk.byteLength, { busy: busyShare(), ageMs: performance.now() - begunAt })
    if (rest >= 1) await delay(rest)
  }
}
