import type { WebhookProof } from '../agents/agent.ts'
import { namesOf } from './header-names.ts'
import { presets, type Preset } from './presets.ts'
import type { ReadHeader } from './proofs.ts'

/**
 * A signature sent beside the secret must also be valid, because its sender relies on it. GitLab's signing token makes
 * the same signature. It proves more than the secret token, so it is enough.
 */
export function demandedOfDelivery(proof: WebhookProof, header: ReadHeader): Preset[] {
  const signed = presets['standard-webhooks']
  const isSigned = namesOf(signed, signed.header).some((name) => header(name) !== undefined)
  if (proof === 'secret' && isSigned) return [presets.secret, signed]
  return proof === 'gitlab' && isSigned ? [signed] : [presets[proof]]
}

/** The caller is the sender's own program, not GitHub or Stripe: it sends the secret, or signs an empty body. */
export const demandedOfSender = (proof: WebhookProof, header: ReadHeader): Preset[] =>
  proof === 'standard-webhooks' && header('x-webhook-secret') === undefined
    ? [presets['standard-webhooks']]
    : demandedOfDelivery('secret', header)
