import { createHash } from 'node:crypto'
import { SiteError } from './site-error.ts'

interface KeptAnswer {
  fingerprint: string
  answer: object
}

export type KeptAnswers = ReturnType<typeof createKeptAnswers>

/**
 * Makes repeated requests safe: the same Idempotency-Key with the same input returns the first response again and does
 * nothing twice. Failures are not kept, so that a retry may succeed.
 */
export function createKeptAnswers(capacity = 10_000) {
  const kept = new Map<string, KeptAnswer>()
  return {
    /** Runs the function, or returns the first response. Throws 422 if the key was used with other input. */
    once(key: string, input: object, run: () => object): object {
      const fingerprint = createHash('sha256').update(JSON.stringify(input)).digest('hex')
      const before = kept.get(key)
      if (before && before.fingerprint !== fingerprint) {
        throw new SiteError(422, 'This Idempotency-Key was used before, with other input. Send a new key.')
      }
      if (before) return before.answer
      const answer = structuredClone(run())
      kept.set(key, { fingerprint, answer })
      const oldest = kept.keys().next()
      if (kept.size > capacity && !oldest.done) kept.delete(oldest.value)
      return answer
    },
  }
}
