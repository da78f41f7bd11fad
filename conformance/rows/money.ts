import { agentOf, createAgent, deliver, startRun, webhookAgent } from '../agents.ts'
import { accepted, assert, refused, told } from '../expect.ts'
import type { Person } from '../people.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'
import { openSession, say } from '../sessions.ts'
import { until } from '../until.ts'

/** As long as a message may be: its answer costs about a dozen credits, and the next ones more. */
const longText = 'word '.repeat(16_000)
const mostMessages = 60

/** An account that pays, with an agent; and what came of a delivery while it might use no credits in this month. */
const paying = (stage: Stage) =>
  stage.once('paying', async () => {
    const { client, people } = stage
    const someone = await people.customer('pro')
    const agent = await webhookAgent(client, someone)
    const cap = async (creditsPerMonth: number | null) =>
      accepted(await client.send({ method: 'PATCH', url: '/billing', token: someone.token, body: { creditsPerMonth } }))
    await cap(0)
    const withoutCredits = await deliver(client, agent)
    await cap(null)
    return { someone, agent, withoutCredits }
  })

const buyCredits = ({ client }: Stage, { token }: Person) =>
  client.send({ method: 'POST', url: '/billing/credits', token, body: { credits: 1000 } })

const subscribe = ({ client }: Stage, { token }: Person) =>
  client.send({ method: 'POST', url: '/billing/subscription', token, body: { tier: 'pro' } })

export const moneyRows: Row[] = [
  {
    id: 'codes/NO_CREDITS',
    says: 'insufficient credit balance: for a chat, a run by hand, a delivery',
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
    says: 'no payment method on file for a purchase',
    async run(stage) {
      const free = await stage.people.free()
      refused(await subscribe(stage, free), 'NO_PAYMENT_METHOD')
      return `${refused(await buyCredits(stage, free), 'NO_PAYMENT_METHOD')}, for credits and for a tier`
    },
  },
  {
    id: 'codes/PAYMENT_FAILED',
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
    says: 'subscription payment overdue',
    needs: ['cards', 'admin'],
    async run(stage) {
      const { client, people, facts } = stage
      const { someone: overdue, agent } = await paying(stage)
      await exchangeCards(stage, overdue, facts.cards?.failing ?? '')
      const url = `/admin/users/${overdue.id}/clock`
      const body = { seconds: 32 * 86_400 }
      const advanced = await client.send({ method: 'POST', url, token: await people.admin(), body })
      assert(advanced.status < 300, `${advanced.asked} answered ${told(advanced)}: the clock cannot be advanced`)
      const answer = await until(30, 'a delivery is refused', async () => {
        const sent = await deliver(client, agent)
        return sent.status === 202 ? undefined : sent
      })
      return `${refused(answer, 'SUBSCRIPTION_PAST_DUE')}, after a renewal with a card that is refused`
    },
  },
  {
    id: 'codes/TIER_REQUIRED',
    says: 'feature needs a higher subscription tier',
    async run({ client, people }) {
      const answer = await createAgent(client, await people.free(), { trigger: 'webhook' })
      return `${refused(answer, 'TIER_REQUIRED')} for a webhook agent of the free tier`
    },
  },
  {
    id: 'codes/FEATURE_LIMIT_REACHED',
    says: 'tier limit for the feature reached',
    async run({ client, people }) {
      const { token } = await people.free()
      const body = { name: 'Conformance', scopes: ['read'] }
      const limit = await limitOf(client, token, 'apiKeys')
      const add = () => client.send({ method: 'POST', url: '/auth/api-keys', token, body })
      for (let count = 0; count < limit; count += 1) accepted(await add(), 201)
      return `${refused(await add(), 'FEATURE_LIMIT_REACHED')} at API key ${limit + 1}`
    },
  },
  {
    id: 'codes/AGENT_LIMIT_REACHED',
    says: 'maximum agents for the tier',
    async run({ client, people }) {
      const free = await people.free()
      const limit = await limitOf(client, free.token, 'agents')
      for (let count = 0; count < limit; count += 1) accepted(await createAgent(client, free), 201)
      return `${refused(await createAgent(client, free), 'AGENT_LIMIT_REACHED')} at agent ${limit + 1}`
    },
  },
  {
    id: 'limits/Plan requirement',
    says: 'webhook triggers need a tier that includes them, or any higher one',
    needs: ['cards'],
    async run({ client, people }) {
      const answer = await createAgent(client, await people.free(), { trigger: 'webhook' })
      const evidence = refused(answer, 'TIER_REQUIRED')
      await webhookAgent(client, await people.owner())
      const tiers = accepted(await client.send({ url: '/billing/tiers' }))['items'] as {
        name: string
        features: string[]
      }[]
      const having = tiers.map(({ features }) => features.includes('webhooks'))
      assert(!having.includes(false, having.indexOf(true)), 'a higher tier lacks webhooks')
      return `free: ${evidence}; team: 201; ${tiers
        .filter(({ features }) => features.includes('webhooks'))
        .map(({ name }) => name)
        .join(', ')} have it`
    },
  },
]

/** Leaves the account with this card alone. */
async function exchangeCards({ client, people }: Stage, someone: Person, card: string): Promise<void> {
  const { token } = someone
  const url = '/billing/payment-methods'
  const before = accepted(await client.send({ url, token }))['items'] as { id: string }[]
  await people.addCard(someone, card)
  for (const { id } of before) accepted(await client.send({ method: 'DELETE', url: `${url}/${id}`, token }), 204)
}

/** What the tier of somebody allows, as `GET /billing` says it. */
async function limitOf(client: Stage['client'], token: string, name: string): Promise<number> {
  const { limits } = accepted(await client.send({ url: '/billing', token })) as { limits: Record<string, number> }
  return limits[name] ?? 0
}
