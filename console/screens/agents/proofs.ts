import type { Api } from '../../api/client.ts'

/** How senders prove themselves, by the name that a person knows. */
export const proofs: readonly { proof: Api['WebhookProof']; sender: string }[] = [
  { proof: 'secret', sender: 'Any sender, with a secret' },
  { proof: 'standard-webhooks', sender: 'Standard Webhooks' },
  { proof: 'github', sender: 'GitHub' },
  { proof: 'gitlab', sender: 'GitLab' },
  { proof: 'stripe', sender: 'Stripe' },
  { proof: 'shopify', sender: 'Shopify' },
  { proof: 'slack', sender: 'Slack' },
]
