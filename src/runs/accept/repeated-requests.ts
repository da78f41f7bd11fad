import { isCoded } from '../../errors.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'

/** Requests repeated under their idempotency key. */
export function createRepeats({ known }: { known: (request: AcceptRequest) => Promise<Receipt | undefined> }) {
  return {
    /**
     * The receipt of a repeated request that would be refused now. Throws the refusal if it is the first request. The
     * lookup follows the refusal, because the first request's run may be what made the agent busy. Rethrows errors that
     * are not refusals, such as an unreachable database. Fails with VALIDATION_ERROR if the key was used for another
     * body.
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
