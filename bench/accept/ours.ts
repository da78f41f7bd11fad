import { createHmac } from 'node:crypto'
import { freePorts } from '../../bin/local/ports.ts'
import { onServer } from '../../test/helpers/database.ts'
import { customer, webhookAgent, type Person } from '../../test/helpers/people.ts'
import { apiProgram } from '../shared/programs.ts'
import type { BenchStores } from '../shared/servers.ts'
import { together } from './load.ts'
import type { Load, Send, Target } from './send.ts'
import { createTally, type Side } from './side.ts'

interface Options {
  send: Send
  payload: string
  agents: number
}

/** The tier limits the deliveries that an owner's agents accept in a minute, and limits are not measured. */
const ownerCount = 10

/** The platform: one API process with two kinds of proof, and two API processes that share the load. */
export async function openOurs(stores: BenchStores, { send, payload, agents }: Options) {
  const first = apiProgram(stores.env)
  await first.start()
  const owners = await Promise.all(Array.from({ length: ownerCount }, () => customer(stores, 'enterprise')))
  const bySecret = await agentsOf(owners, agents, (secret) => ({ 'x-webhook-secret': secret }), payload)
  const signed = await agentsOf(owners, agents, (secret) => fromGithub(secret, payload), payload, 'github')
  const second = await secondApi(stores)
  const tallies = { bySecret: createTally(), signed: createTally() }

  const bySecretAt = (url: string, connections: number, seconds: number): Promise<Load> =>
    send(url, bySecret.targets, connections, seconds)
  const sides: Side[] = [
    {
      name: 'Switchyard',
      measure: async (connections, seconds) =>
        tallies.bySecret.note(await bySecretAt(stores.url, connections, seconds), connections),
    },
    {
      name: "Switchyard, GitHub's signature as proof",
      measure: async (connections, seconds) =>
        tallies.signed.note(await send(stores.url, signed.targets, connections, seconds), connections),
    },
    {
      name: 'Switchyard, two API processes',
      measure: async (connections, seconds) => {
        const each = (url: string) => bySecretAt(url, connections / 2, seconds)
        return tallies.bySecret.note(together(await Promise.all([stores.url, second.url].map(each))), connections)
      },
    },
  ]
  return {
    sides,
    /** Throws if a delivery is missing or a sequence has a gap. */
    async verify(): Promise<string[]> {
      const count = (ids: string[]) => storedWithoutGap(stores.database, ids)
      return [
        tallies.bySecret.compare('Switchyard', await count(bySecret.ids)),
        tallies.signed.compare("Switchyard, GitHub's signature", await count(signed.ids)),
        `Switchyard: the sequences of ${bySecret.ids.length + signed.ids.length} agents have no gap`,
      ]
    },
    close: () => Promise.all([first.stop(), second.control.stop()]),
  }
}

async function secondApi({ env }: BenchStores) {
  const [port = 0] = await freePorts(1)
  const control = apiProgram({ ...env, PORT: String(port) })
  await control.start()
  return { control, url: `http://127.0.0.1:${port}` }
}

/** The headers of a delivery from GitHub. Each request has another `X-GitHub-Delivery`. */
function fromGithub(secret: string, payload: string): Record<string, string> {
  return {
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(payload).digest('hex')}`,
    'x-github-delivery': '{n}',
    'x-github-hook-id': '1',
    'x-github-event': 'push',
  }
}

async function agentsOf(
  owners: Person[],
  count: number,
  prove: (secret: string) => Record<string, string>,
  body: string,
  webhookProof: 'secret' | 'github' = 'secret',
): Promise<{ ids: string[]; targets: Target[] }> {
  const ids: string[] = []
  const targets: Target[] = []
  for (let number = 0; number < count; number += 1) {
    const owner = owners[number % owners.length] as Person
    const { id, webhookSecret } = await webhookAgent(owner, { webhookProof })
    const headers = { 'content-type': 'application/json', ...prove(webhookSecret) }
    ids.push(id)
    targets.push({ path: `/api/webhooks/agent/${id}`, headers, body })
  }
  return { ids, targets }
}

/** The number of runs of these agents. Throws unless each agent's sequence counts from one without a gap. */
async function storedWithoutGap(database: string, ids: string[]): Promise<number> {
  const { rows } = await onServer(database, (client) => client.query<{ runs: number; gaps: number }>(statement, [ids]))
  const { runs = 0, gaps = 0 } = rows[0] ?? {}
  if (gaps > 0) throw new Error(`the sequences of ${gaps} agents have gaps`)
  return runs
}

const statement = `
  select sum(runs)::int as runs,
         count(*) filter (where first <> 1 or last <> runs or last <> last_sequence)::int as gaps
    from (select agent_id, count(*) as runs, min(sequence) as first, max(sequence) as last
            from runs where agent_id = any($1::uuid[]) group by agent_id) per_agent
    join agent_queues using (agent_id)`
