import { agentOf, startRun } from './agents.ts'
import type { Client, Json } from './client.ts'
import { accepted } from './expect.ts'
import type { Person } from './people.ts'
import { openSession } from './sessions.ts'
import type { Stage } from './stage.ts'
import { until } from './until.ts'

/** A tool of the checker's own sites that needs an approval, which nobody gives. */
const awaited = 'change_settings'

/** The ids of an account's things, one of each kind. */
export type Things = Awaited<ReturnType<typeof makeThings>>

/** Creates one thing of each kind, with a run that waits for an approval. */
export async function makeThings(
  { client, people }: Stage,
  owner: Person,
  from: { vaultEntryId: string; workspaceId: string },
) {
  const { workspaceId, vaultEntryId } = from
  const sites = [{ vaultEntryId, tools: [awaited], askFirst: [awaited] }]
  const agent = await agentOf(client, owner, { systemPrompt: `[[call ${awaited} {}]]`, sites })
  const run = accepted(await startRun(client, owner, agent), 202)
  // Without payments there are no cards either.
  const isPaid = !people.areAllCustomers()
  const key = { name: 'Conformance', scopes: ['read'] }
  const made = await client.send({ method: 'POST', url: '/auth/api-keys', token: owner.token, body: key })
  return {
    agent: String(agent['id']),
    run: String(run['id']),
    entry: vaultEntryId,
    workspace: workspaceId,
    colleague: String((await agentOf(client, owner, { workspaceId }))['id']),
    session: String((await openSession(client, owner))['id']),
    apiKey: String(accepted(made, 201)['id']),
    approval: await awaitedId(client, owner, `/approvals?agentId=${String(agent['id'])}`),
    notification: await awaitedId(client, owner, '/notifications?kind=approval_requested'),
    ledgerEntry: await awaitedId(client, owner, '/billing/ledger'),
    payment: isPaid ? await awaitedId(client, owner, '/billing/payments') : null,
    login: await awaitedId(client, owner, '/auth/logins'),
    card: isPaid ? await awaitedId(client, owner, '/billing/payment-methods') : null,
  }
}

/** The id of the first item of a list, once there is one. */
const awaitedId = (client: Client, { token }: Person, url: string): Promise<string> =>
  until(30, `GET ${url} lists something`, async () => {
    const [first] = accepted(await client.send({ url, token }))['items'] as Json[]
    return first && String(first['id'])
  })
