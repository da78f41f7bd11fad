import type { Api } from '../../api/client.ts'

type Proof = Api['WebhookProof']

/** A step at the sender. `value`: what to paste there. `takes`: the sender's own secret comes back here. */
export interface Step {
  text: string
  value?: 'url' | 'secret'
  takes?: 'secret'
}

export interface Guide {
  /** Who sends, as a person knows it. */
  sender: string
  /** The page of the documentation. */
  docs: `/docs/how-to/${string}`
  steps: readonly Step[]
}

const givesSecret: Step = {
  text: 'Paste that secret here, so that the agent believes the deliveries.',
  takes: 'secret',
}

const guides: Record<Proof, Guide> = {
  secret: {
    sender: 'your program',
    docs: '/docs/how-to/other-senders',
    steps: [
      { text: 'Send a POST request with JSON to this address.', value: 'url' },
      { text: 'Put this secret into the header X-Webhook-Secret.', value: 'secret' },
      { text: 'Put a different Idempotency-Key into each delivery, so that a repetition starts no second run.' },
    ],
  },
  'standard-webhooks': {
    sender: 'your program',
    docs: '/docs/how-to/other-senders',
    steps: [
      { text: 'Send a POST request with JSON to this address.', value: 'url' },
      { text: 'Sign it with a library of Standard Webhooks and this secret.', value: 'secret' },
    ],
  },
  github: {
    sender: 'GitHub',
    docs: '/docs/how-to/github',
    steps: [
      { text: 'In the repository, open Settings → Webhooks → Add webhook.' },
      { text: 'Paste this as the Payload URL.', value: 'url' },
      { text: 'Choose application/json as the Content type.' },
      { text: 'Paste this as the Secret.', value: 'secret' },
      { text: 'Choose “Let me select individual events”, then the ones that you need, and add the webhook.' },
    ],
  },
  gitlab: {
    sender: 'GitLab',
    docs: '/docs/how-to/gitlab',
    steps: [
      { text: 'In the project, open Settings → Webhooks → Add new webhook.' },
      { text: 'Paste this as the URL.', value: 'url' },
      { text: 'Paste this as the Secret token.', value: 'secret' },
      { text: 'Choose the triggers that you need, and save.' },
    ],
  },
  stripe: {
    sender: 'Stripe',
    docs: '/docs/how-to/stripe',
    steps: [
      { text: 'In Stripe’s Dashboard, open Developers → Webhooks → Add destination.' },
      { text: 'Choose the events, and then Webhook endpoint as the destination type.' },
      { text: 'Paste this as the Endpoint URL, and create the destination.', value: 'url' },
      { text: 'Copy the Signing secret of the destination.' },
      givesSecret,
    ],
  },
  shopify: {
    sender: 'Shopify',
    docs: '/docs/how-to/shopify',
    steps: [
      { text: 'In the store’s admin, open Settings → Notifications → Webhooks → Create webhook.' },
      { text: 'Choose the event and the format JSON, and paste this as the URL.', value: 'url' },
      { text: 'Copy the secret that the page then shows. If an app makes the webhooks, copy its client secret.' },
      givesSecret,
    ],
  },
  slack: {
    sender: 'Slack',
    docs: '/docs/how-to/slack',
    steps: [
      { text: 'At api.slack.com/apps, open your app, and copy the Signing Secret under Basic Information.' },
      // Slack checks the address as soon as it is entered.
      givesSecret,
      {
        text: 'Open Event Subscriptions, turn it on, and paste this as the Request URL. Slack shows “Verified”.',
        value: 'url',
      },
      { text: 'Under “Subscribe to bot events”, add the events that you need, and save.' },
    ],
  },
}

/** What to do at the sender, step by step. */
export const guideOf = (proof: Proof): Guide => guides[proof]

/** A secret as it is shown before somebody asks for it. Its length says nothing. */
export const hiddenSecret = '•'.repeat(24)

/** How long the earlier secret stays valid, as choices in seconds. */
export const overlaps = [
  { value: '0', text: 'Stops working at once' },
  { value: '3600', text: 'Works for another hour' },
  { value: '86400', text: 'Works for another day' },
  { value: '604800', text: 'Works for another week' },
] as const

export type Overlap = (typeof overlaps)[number]['value']
