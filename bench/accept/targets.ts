import { createHmac } from 'node:crypto'
import { customer, webhookAgent, type Person } from '../../test/helpers/people.ts'
import type { BenchStores } from '../shared/servers.ts'
import type { Target } from './send.ts'

type Proof = keyof typeof proofs

/** What each delivery says, about a thousand bytes. */
export const payload = JSON.stringify({ event: 'order.paid', number: 1, note: 'x'.repeat(970) })

/** The tier limits the deliveries that an owner's agents accept in a minute, and limits are not measured. */
const ownerCount = 10

/** Creates agents of ten owners and what a load sends to each. */
export async function targetsOf(
  stores: Pick<BenchStores, 'url'>,
  count: number,
  body: string,
  proof: Proof = 'secret',
) {
  const owners = await Promise.all(Array.from({ length: ownerCount }, () => customer(stores, 'enterprise')))
  const agents = await Promise.all(
    Array.from({ length: count }, (_, number) =>
      webhookAgent(owners[number % ownerCount] as Person, { webhookProof: proof }),
    ),
  )
  const targets = agents.map(({ id, webhookSecret }): Target => {
    const headers = { 'content-type': 'application/json', ...proofs[proof](webhookSecret, body) }
    return { path: `/api/webhooks/agent/${id}`, headers, body }
  })
  return { ids: agents.map(({ id }) => id), targets }
}

const proofs = {
  secret: (secret: string) => ({ 'x-webhook-secret': secret }),
  /** The headers of a delivery from GitHub. Each request has another `X-GitHub-Delivery`. */
  github: (secret: string, body: string) => ({
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'x-github-delivery': '{n}',
    'x-github-hook-id': '1',
    'x-github-event': 'push',
  }),
}
