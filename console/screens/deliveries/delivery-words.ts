import type { Api } from '../../api/client.ts'
import { countInWords } from '../../parts/format.ts'

const senders: Record<Api['WebhookProof'], string> = {
  secret: 'The secret in X-Webhook-Secret',
  'standard-webhooks': 'A signature of Standard Webhooks',
  github: 'A signature of GitHub',
  gitlab: 'The token of GitLab',
  stripe: 'A signature of Stripe',
  shopify: 'A signature of Shopify',
  slack: 'A signature of Slack',
}

/** How the sender proved itself. */
export const proofInWords = (judgedBy: Pick<Api['DeliveryJudgement'], 'proof'> | null): string =>
  judgedBy === null ? 'Proved; how is no longer known' : senders[judgedBy.proof]

/** What the payload was held against. */
export function schemaInWords(judgedBy: Pick<Api['DeliveryJudgement'], 'schema'> | null): string {
  if (judgedBy === null) return 'Accepted; the schema is no longer known'
  if (judgedBy.schema === null) return 'Not checked, because the agent had no schema'
  return `Matched the schema of ${countInWords(judgedBy.schema.length, 'field')}`
}

/** How a repetition of the delivery would be recognised. */
export function repetitionInWords({ identity, replayOf }: Pick<Api['RunDelivery'], 'identity' | 'replayOf'>): string {
  if (replayOf !== null) return 'Replayed by request, so it repeats on purpose'
  if (identity === null) return 'Not recognised: the sender sent no key, so a repetition starts another run'
  return identity.bodyHash === null ? 'By the id in its signed body' : 'By its key and the hash of its body'
}

/** Deliveries that were refused in the same second and are only counted. */
export const othersInWords = (others: number): string | undefined =>
  others === 0 ? undefined : `${countInWords(others, 'more refusal')} just before it`
