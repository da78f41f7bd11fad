import { agentOf, createAgent, deliver, webhookAgent } from './agents.ts'
import type { Answer } from './client.ts'
import { accepted, assert, outcomeOf } from './expect.ts'
import { createWorkspace } from './member.ts'
import type { Person } from './people.ts'
import type { Stage } from './stage.ts'
import { until } from './until.ts'

/** More than a month, and less than an overdue subscription lasts. */
const untilOverdue = 32 * 86_400

/**
 * An account that pays for the tier with workspaces. It has an agent there and a webhook agent. Includes the result of
 * a delivery while its monthly cap was 0 credits.
 */
export const paying = (stage: Stage) =>
  stage.once('paying', async () => {
    const { client, people } = stage
    const someone = await people.customer('team')
    const agent = await webhookAgent(client, someone)
    const { id } = accepted(await createWorkspace(client, someone.token), 201)
    const colleague = await agentOf(client, someone, { workspaceId: id })
    const cap = async (creditsPerMonth: number | null) =>
      accepted(await client.send({ method: 'PATCH', url: '/billing', token: someone.token, body: { creditsPerMonth } }))
    await cap(0)
    const withoutCredits = await deliver(client, agent)
    await cap(null)
    return { someone, agent, workspaceId: String(id), colleague, withoutCredits }
  })

/** The same account, and the result of a delivery after a month has ended and its card was refused. */
export const overdue = (stage: Stage) =>
  stage.once('overdue', async () => {
    const { client, people, facts } = stage
    const { someone, agent } = await paying(stage)
    await exchangeCards(stage, someone, facts.cards?.failing ?? '')
    const url = `/admin/users/${someone.id}/clock`
    const body = { seconds: untilOverdue }
    const advanced = await client.send({ method: 'POST', url, token: await people.admin(), body })
    assert(advanced.status < 300, `${advanced.asked} answered ${outcomeOf(advanced)}: the clock cannot be advanced`)
    return until(30, 'a delivery is refused', async () => {
      const sent = await deliver(client, agent)
      return sent.status === 202 ? undefined : sent
    })
  })

/** The same account after its return to the free tier, with the results of its requests. */
export const downgraded = (stage: Stage) =>
  stage.once('downgraded', async () => {
    await overdue(stage)
    const { client } = stage
    const { someone, agent, workspaceId, colleague } = await paying(stage)
    const { token } = someone
    const { tier } = accepted(await client.send({ method: 'DELETE', url: '/billing/subscription?when=now', token }))
    const workspace = `/workspaces/${workspaceId}`
    const closed = `/agents/${String(colleague['id'])}`
    return {
      tier,
      delivered: await deliver(client, agent),
      read: await client.send({ url: workspace, token }),
      inWorkspace: [
        await createAgent(client, someone, { workspaceId }),
        await client.send({ method: 'POST', url: `${closed}/runs`, token, body: {} }),
        await client.send({ method: 'PATCH', url: closed, token, body: { name: 'Closed' } }),
        await client.send({ method: 'POST', url: '/sessions', token, body: { workspaceId } }),
        await createWorkspace(client, token),
      ] as Answer[],
    }
  })

/** Replaces all cards of the account with this one. */
async function exchangeCards({ client, people }: Stage, someone: Person, card: string): Promise<void> {
  const { token } = someone
  const url = '/billing/payment-methods'
  const before = accepted(await client.send({ url, token }))['items'] as { id: string }[]
  await people.addCard(someone, card)
  for (const { id } of before) accepted(await client.send({ method: 'DELETE', url: `${url}/${id}`, token }), 204)
}
