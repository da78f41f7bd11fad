import * as auth from '../../../api/auth.ts'
import * as billing from '../../../api/billing.ts'
import * as vault from '../../../api/vault.ts'
import { call } from '../../helpers/client.ts'
import { connectContacts } from '../../helpers/connect.ts'
import { agentOf, newcomer, webhookAgent, type Person } from '../../helpers/people.ts'
import { sessionOf } from '../../helpers/sessions.ts'
import { mcpToken, type Sites } from './sites.ts'

/** An agent with what it is asked to do in a run. */
export type WebhookAgent = Awaited<ReturnType<typeof webhookAgent>>

const deskToken = 'a-token-of-the-desk-0815'

/** A user with a card and the largest tier, without the copies of users that other tests share. */
async function subscriber(url: string, tier: string): Promise<Person> {
  const someone = await newcomer({ url })
  await call(someone, auth.acceptTerms).then((answer) => answer.body)
  await call(someone, billing.addPaymentMethod, { body: { paymentMethod: 'pm_card_visa' } }).then((a) => a.body)
  await call(someone, billing.subscribe, { body: { tier } }).then((answer) => answer.body)
  return someone
}

const connect = async (someone: Person, url: string, token: string): Promise<string> =>
  (await call(someone, vault.addToVault, { body: { url, token } })).body.id

/** The owner of the agents, with all sites connected. */
export async function openBusy(url: string, sites: Sites) {
  const someone = await subscriber(url, 'enterprise')
  const desk = await connect(someone, sites.desk, deskToken)
  const mcp = await connect(someone, sites.mcp, mcpToken)
  const crm = await connectContacts(someone, sites.contacts)
  const atDesk = { sites: [{ vaultEntryId: desk }] }
  const once = await webhookAgent(someone, { systemPrompt: '[[call desk.once]] [[say done]]', ...atDesk })
  const several = await webhookAgent(someone, {
    systemPrompt: '[[call desk.idempotent]] [[call desk.read]] [[then]] [[call desk.once]] [[then]] [[say done]]',
    webhookProof: 'standard-webhooks',
    ...atDesk,
  })
  const refreshing = await webhookAgent(someone, {
    systemPrompt: '[[call crm.searchContacts {}]] [[say done]]',
    webhookProof: 'github',
    sites: [{ vaultEntryId: crm }],
  })
  const marked = await webhookAgent(someone, {
    systemPrompt: 'Report.',
    allowActionOverride: true,
    sites: [{ vaultEntryId: mcp }],
  })
  const asking = await webhookAgent(someone, {
    systemPrompt: '[[call desk.once]] [[then]] [[say done]]',
    sites: [{ vaultEntryId: desk, askFirst: ['desk.once'] }],
  })
  const scheduled = await Promise.all(
    ['[[call desk.idempotent]] [[say done]]', '[[say done]]'].map((systemPrompt) =>
      agentOf(someone, { systemPrompt, trigger: 'scheduled', cron: '* * * * *', timeZone: 'UTC', ...atDesk }),
    ),
  )
  const manual = await agentOf(someone, { systemPrompt: '[[call desk.read]] [[then]] [[say done]]', ...atDesk })
  const sessions = {
    whole: await sessionOf(someone, { onDisconnect: 'cancel', ...atDesk }),
    streamed: await sessionOf(someone, { onDisconnect: 'continue', ...atDesk }),
  }
  return { someone, desk, crm, once, several, refreshing, marked, asking, scheduled, manual, sessions }
}

export type Busy = Awaited<ReturnType<typeof openBusy>>

/** An owner whose agent has a cap that a few runs use up, and who buys credits meanwhile. */
export async function openThrifty(url: string) {
  const someone = await subscriber(url, 'pro')
  const capped = await webhookAgent(someone, { systemPrompt: '[[say done]]', creditsPerMonth: 10 })
  return { someone, capped }
}

export type Thrifty = Awaited<ReturnType<typeof openThrifty>>

/** What none of these people may find in a log. */
export const secretsOf = (busy: Busy, thrifty: Thrifty): { name: string; value: string }[] => [
  ...[busy.someone, thrifty.someone].flatMap(({ password, token }) => [
    { name: 'a password', value: password },
    { name: 'an access token', value: token },
  ]),
  ...[busy.once, busy.several, busy.refreshing, busy.marked, busy.asking, thrifty.capped].map(({ webhookSecret }) => ({
    name: 'a webhook secret',
    value: webhookSecret,
  })),
  ...Object.values(busy.sessions).map(({ token }) => ({ name: "a session's token", value: token })),
  { name: 'a token of the desk', value: deskToken },
  { name: 'a token of the MCP site', value: mcpToken },
]
