import { isCoded } from '../../errors.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'

/** Requests that are made again under their idempotency key. */
export function createRepeats({ known }: { known: (request: AcceptRequest) => Promise<Receipt | undefined> }) {
  return {
    /**
     * The receipt of a request that was made before under its key and is refused now; without an earlier one, throws the
     * refusal. Looked for after the refusal, not before: the run of the first request may be what has just made its agent
     * busy. An error that is no refusal, because the database is away, says nothing about the request and is thrown.
     * Fails with VALIDATION_ERROR too, when the key was used for another body.
     */
    async earlierReceipt(request: AcceptRequest, refusal: unknown): Promise<Receipt> {
      const mayBeRepeated = isCoded(refusal) && request.idempotencyKey !== undefined
      const earlier = mayBeRepeated ? await known(request) : undefined
      if (earlier) return earlier
      throw refusal
    },
  }
}

export type Repeats = ReturnType<typeof createRepeats>
