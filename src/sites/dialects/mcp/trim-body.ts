import { setImmediate as rest } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'

/** Passes on what is left of one message; undefined for nothing. */
type Trim = (text: string) => string | undefined | Promise<string | undefined>

/** How long events are read without a pause. */
const longestMs = 5

/**
 * A stream of events (HTML, "Server-sent events") whose messages are trimmed. A server can send a hundred thousand
 * events at once, so other work gets its turn between them. Ids of events are left out: a stream is not resumed.
 */
export function trimStream(body: ReadableStream<Uint8Array>, trim: Trim): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder()
  const events: string[] = []
  const parser = createParser({
    onEvent: ({ event = 'message', data }) => void (event === 'message' && events.push(data)),
  })
  let since = performance.now()
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        for (let from = 0; from < chunk.length; from += partBytes) {
          parser.feed(decoder.decode(chunk.subarray(from, from + partBytes), { stream: true }))
          await pass(controller)
        }
      },
    }),
  )

  async function pass(controller: TransformStreamDefaultController<Uint8Array>): Promise<void> {
    for (const data of events.splice(0)) {
      const message = await trim(data)
      if (message !== undefined) controller.enqueue(Buffer.from(`data: ${message}\n\n`))
      await takeTurn()
    }
    await takeTurn()
  }

  async function takeTurn(): Promise<void> {
    if (performance.now() - since < longestMs) return
    await rest()
    since = performance.now()
  }
}

/** What is parsed at once. The parser makes an error, which costs microseconds, of every line that it does not know. */
const partBytes = 2 * 1024
