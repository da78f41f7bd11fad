import { setImmediate as rest } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'

/** Passes on what is left of one message; undefined for nothing. */
export type Trim = (text: string) => string | undefined | Promise<string | undefined>

/** How far a stream of events was read, by its last whole event. */
export interface StreamPosition {
  bytes: number
  /** The id of the last event; undefined if it has none. */
  eventId?: string | undefined
  /** How long to wait before the stream is asked for again, if the server says it. */
  retryMs?: number
}

/** How long events are read without a pause. */
const longestMs = 5

/**
 * A stream of events (HTML, "Server-sent events") whose messages are trimmed, without their ids. A server can send a
 * hundred thousand events at once, so other work gets its turn between them. Throws the error of the body.
 */
export async function* trimStream(
  body: ReadableStream<Uint8Array>,
  trim: Trim,
  position: StreamPosition,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder()
  const messages: string[] = []
  const parser = createParser({
    onEvent({ event = 'message', data, id }) {
      if (id !== undefined) position.eventId = id
      // An event without data only gives the stream an id.
      if (event === 'message' && data !== '') messages.push(data)
    },
    onRetry: (ms) => void (position.retryMs = ms),
  })
  let since = performance.now()
  for await (const chunk of body) {
    position.bytes += chunk.length
    for (let from = 0; from < chunk.length; from += partBytes) {
      parser.feed(decoder.decode(chunk.subarray(from, from + partBytes), { stream: true }))
      for (const data of messages.splice(0)) {
        const message = await trim(data)
        if (message !== undefined) yield Buffer.from(`data: ${message}\n\n`)
        await takeTurn()
      }
      await takeTurn()
    }
  }

  async function takeTurn(): Promise<void> {
    if (performance.now() - since < longestMs) return
    await rest()
    since = performance.now()
  }
}

/** What is parsed at once. The parser makes an error, which costs microseconds, of every line that it does not know. */
const partBytes = 2 * 1024
