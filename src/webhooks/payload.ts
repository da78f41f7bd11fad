import { CodedError } from '../errors.ts'
import type { PayloadFacts } from './payload-facts.ts'

/** A payload: its original text, which is stored, and what the platform reads from it. */
export interface Payload extends PayloadFacts {
  text: string
}

/**
 * Rejects a payload that does not match the agent's webhook schema: WEBHOOK_PAYLOAD_INVALID, with every invalid field.
 */
export function assertMatches({ mismatches: details }: Payload): void {
  if (details.length === 0) return
  const message = `The payload does not match the webhook schema. ${details[0]?.path}: ${details[0]?.message}`
  throw new CodedError('WEBHOOK_PAYLOAD_INVALID', { message, details })
}
