import type { AcceptRequest, Receipt } from './receipt.ts'

/** What is already accepted under the request's key; VALIDATION_ERROR when that had another body. */
export type Known = (request: AcceptRequest) => Promise<Receipt | undefined>

/**
 * The receipt of a request that was made before under its key and would be refused now, or undefined when nothing refuses
 * it. Looked for after the refusal, not before: the run of the first request may be what has just made its agent busy.
 */
export async function receiptInsteadOfRefusal(
  request: AcceptRequest,
  known: Known,
  check: () => Promise<void>,
): Promise<Receipt | undefined> {
  try {
    await check()
    return undefined
  } catch (refusal) {
    const earlier = request.idempotencyKey === undefined ? undefined : await known(request)
    if (earlier) return earlier
    throw refusal
  }
}
