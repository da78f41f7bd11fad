import { agentOf, createAgent, startRun, webhookAgent } from '../agents.ts'
import { accepted, assert, assertSame, refused } from '../expect.ts'
import { downgraded, overdue, paying } from '../paying.ts'
import type { Person } from '../people.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'
import { agentsToTheLimit, createKey, keysToTheLimit } from '../fill-limits.ts'
import { openSession, say } from '../sessions.ts'

/** The longest message: its answer costs about a dozen credits, and later answers cost more. */
const longText = 'word '.repeat(16_000)
const mostMessages = 60

const buyCredits = ({ client }: Stage, { token }: Person) =>
  client.send({ method: 'POST', url: '/billing/credits', token, body: { credits: 1000 } })

const subscribe = ({ client }: Stage, { token }: Person) =>
  client.send({ method: 'POST', url: '/billing/subscription', token, body: { tier: 'pro' } })

export const moneyRows: Row[] = [
  {
    id: 'codes/NO_CREDITS',
    ofMoney: true,
    says: 'insufficient credit balance: for a chat, a manual run, a delivery',
    needs: ['directives', 'cards'],
    isSlow: true,
    async run(stage) {
      const { client, people } = stage
      const spender = await people.spender()
      const agent = await agentOf(client, spender)
      const session = await openSession(client, spender)
      for (let sent = 1; sent <= mostMessages; sent += 1) {
        const answer = await say(client, session, `[[say ${longText}]]`)
        if (answer.status === 200) continue
        const evidence = refused(answer, 'NO_CREDITS')
        const { balance } = accepted(await client.send({ url: '/billing', token: spender.token }))
        assert(Number(balance) < 1, `the balance is still ${String(balance)}`)
        refused(await startRun(client, spender, agent), 'NO_CREDITS')
        refused((await paying(stage)).withoutCredits, 'NO_CREDITS')
        return `${evidence} at message ${sent}, with a balance of ${String(balance)}; also for a run, and for a delivery`
      }
      throw new Error(`${mostMessages} long answers have not used up the credits of the free tier.`)
    },
  },
  {
    id: 'codes/NO_PAYMENT_METHOD',
    ofMoney: true,
    says: 'no payment method on file for a purchase',
    async run(stage) {
      const free = await stage.people.free()
      refused(await subscribe(stage, free), 'NO_PAYMENT_METHOD')
      return `${refused(await buyCredits(stage, free), 'NO_PAYMENT_METHOD')}, for credits and for a tier`
    },
  },
  {
    id: 'codes/PAYMENT_FAILED',
    ofMoney: true,
    says: 'charge declined',
    needs: ['cards'],
    async run(stage) {
      const { client, people, facts } = stage
      const spender = await people.spender()
      const { token } = spender
      const body = { paymentMethod: facts.cards?.refused }
      const attach = await client.send({ method: 'POST', url: '/billing/payment-methods', token, body })
      const atOnce = refused(attach, 'PAYMENT_FAILED')
      await people.addCard(spender, facts.cards?.failing ?? '')
      const later = refused(await subscribe(stage, spender), 'PAYMENT_FAILED')
      refused(await buyCredits(stage, spender), 'PAYMENT_FAILED')
      const { tier, balance } = accepted(await client.send({ url: '/billing', token }))
      assert(tier === 'free', `the tier is ${String(tier)} although nothing was paid`)
      assert(Number(balance) < 1000, 'there are credits that nobody has paid for')
      return `${atOnce} for a card that is refused; ${later} for a charge that fails, of a tier and of credits`
    },
  },
  {
    id: 'codes/SUBSCRIPTION_PAST_DUE',
    ofMoney: true,
    says: 'subscription payment overdue',
    needs: ['cards', 'admin'],
    run: async (stage) =>
      `${refused(await overdue(stage), 'SUBSCRIPTION_PAST_DUE')}, after a renewal with a card that is refused`,
  },
  {
    id: 'codes/TIER_REQUIRED',
    ofMoney: true,
    says: 'feature requires a higher subscription tier',
    async run(stage) {
      const { client, people } = stage
      const free = await people.free()
      const evidence = refused(await createAgent(client, free, { trigger: 'webhook' }), 'TIER_REQUIRED')
      const [agent] = await agentsToTheLimit(stage)
      const url = `/agents/${String(agent?.['id'])}`
      const body = { trigger: 'webhook' }
      refused(await client.send({ method: 'PATCH', url, token: free.token, body }), 'TIER_REQUIRED')
      return `${evidence} for a webhook agent of the free tier, and for an agent that is to become one`
    },
  },
  {
    id: 'codes/FEATURE_LIMIT_REACHED',
    says: 'tier limit for the feature reached',
    async run(stage) {
      const { length } = await keysToTheLimit(stage)
      const one = await createKey(stage.client, await stage.people.free())
      return `${refused(one, 'FEATURE_LIMIT_REACHED')} at API key ${length + 1}`
    },
  },
  {
    id: 'codes/AGENT_LIMIT_REACHED',
    says: 'maximum agents for the tier',
    async run(stage) {
      const { length } = await agentsToTheLimit(stage)
      const one = await createAgent(stage.client, await stage.people.free())
      return `${refused(one, 'AGENT_LIMIT_REACHED')} at agent ${length + 1}`
    },
  },
  {
    id: 'limits/Plan requirement',
    ofMoney: true,
    says: 'webhook triggers need a tier that includes them, or any higher one',
    needs: ['cards', 'admin'],
    async run(stage) {
      const { client, people } = stage
      const answer = await createAgent(client, await people.free(), { trigger: 'webhook' })
      const evidence = refused(answer, 'TIER_REQUIRED')
      await webhookAgent(client, await people.owner())
      const { tier, delivered } = await downgraded(stage)
      assertSame(tier, 'free', 'the tier after the end of the subscription')
      refused(delivered, 'TIER_REQUIRED')
      const tiers = accepted(await client.send({ url: '/billing/tiers' }))['items'] as {
        name: string
        features: string[]
      }[]
      const having = tiers.map(({ features }) => features.includes('webhooks'))
      assert(!having.includes(false, having.indexOf(true)), 'a higher tier lacks webhooks')
      return `free: ${evidence}, also for a delivery after a downgrade; team: 201; ${tiers
        .filter(({ features }) => features.includes('webhooks'))
        .map(({ name }) => name)
        .join(', ')} have it`
    },
  },
]
