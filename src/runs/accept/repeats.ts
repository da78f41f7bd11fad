import { isCoded } from '../../errors.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'

/** Requests that are repeated under their idempotency key. */
export function createRepeats({ known }: { known: (request: AcceptRequest) => Promise<Receipt | undefined> }) {
  return {
    /**
     * The receipt of a repeated request that would be refused now; throws the refusal if it is the first one. The
     * receipt is looked up after the refusal, because the run of the first request may be what has just made the agent
     * busy. An error that is no refusal, such as an unreachable database, is thrown. Fails with VALIDATION_ERROR, too,
     * if the key was used for another body.
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
