import { CodedError } from '../errors.ts'
import type { Sink } from './part-writer.ts'
import type { createReplay } from './replay.ts'

/** How long readers have at least for the end of an answer that is on record, in milliseconds. */
const leastMs = 1000

/** Those who read answers from the record. Other processes may write these, so a process that ends lets its readers go. */
export function createReaders(replay: ReturnType<typeof createReplay>) {
  const leaving = new AbortController()
  const open = new Set<Promise<void>>()

  async function follow(answerId: string, sink: Sink, gone: AbortSignal): Promise<void> {
    try {
      await replay(answerId, sink, AbortSignal.any([gone, leaving.signal]))
    } catch (error) {
      throw leaving.signal.aborted && !gone.aborted ? leaving.signal.reason : error
    }
  }

  return {
    /** Streams an answer as `replay` does. Throws INTERNAL_ERROR if this process ends before the answer. */
    async read(answerId: string, sink: Sink, gone: AbortSignal): Promise<void> {
      const reading = follow(answerId, sink, gone)
      open.add(reading)
      try {
        await reading
      } finally {
        open.delete(reading)
      }
    },

    /** Waits for the readers, and lets those go that are left at a time of `performance.now()`. */
    async dismiss(until: number): Promise<void> {
      const message = 'This server is shutting down, but the answer continues. Reconnect to its stream.'
      const end = () => leaving.abort(new CodedError('INTERNAL_ERROR', { message }))
      const patience = setTimeout(end, Math.max(leastMs, until - performance.now()))
      await Promise.allSettled(open)
      clearTimeout(patience)
    },
  }
}
