import { Agent, request } from 'node:http'
import { customer, webhookAgent } from '../../test/helpers/people.ts'
import { onServer } from '../../test/helpers/database.ts'
import type { BenchServers } from '../shared/servers.ts'

/** The deliveries are spread over this many agents. */
const agentCount = 50

export interface Target {
  path: string
  secret: string
}

/** An owner of many agents, and a way to send as many webhooks as the agents accept. */
export async function openWebhooks({ url, database }: BenchServers) {
  const owner = await customer({ url }, 'enterprise')
  const targets: Target[] = []
  for (let number = 0; number < agentCount; number += 1) {
    const { id, webhookSecret } = await webhookAgent(owner)
    targets.push({ path: `/api/webhooks/agent/${id}`, secret: webhookSecret })
  }
  const payload = JSON.stringify({ event: 'order.paid', number: 1, note: 'x'.repeat(970) })
  let accepted = 0

  return {
    payload,
    targets,

    /** Accepted deliveries per second over this many connections, each with one request at a time. */
    async measure(connections: number, seconds: number): Promise<number> {
      const agent = new Agent({ keepAlive: true, maxSockets: connections })
      const began = performance.now()
      const until = began + seconds * 1000
      const before = accepted
      await Promise.all(
        Array.from({ length: connections }, async (_, number) => {
          for (let next = number; performance.now() < until; next += connections) {
            await deliver(agent, url, targets[next % agentCount] as Target, payload)
            accepted += 1
          }
        }),
      )
      agent.destroy()
      return (accepted - before) / ((performance.now() - began) / 1000)
    },

    /** Compares accepted deliveries with the record. Throws if a sequence has a gap or a delivery is missing. */
    async verify(): Promise<string> {
      const { rows } = await onServer(database, (client) =>
        client.query<{
          runs: number
          agents: number
          gaps: number
        }>(`select sum(runs)::int as runs, count(*)::int as agents,
                count(*) filter (where first <> 1 or last <> runs or last <> last_sequence)::int as gaps
           from (select agent_id, count(*) as runs, min(sequence) as first, max(sequence) as last
                   from runs group by agent_id) per_agent join agent_queues using (agent_id)`),
      )
      const { runs, agents, gaps } = rows[0] as { runs: number; agents: number; gaps: number }
      if (runs !== accepted || gaps > 0) {
        throw new Error(`${accepted} deliveries were accepted, ${runs} are on record, ${gaps} sequences have gaps`)
      }
      return `Verified: all ${runs} accepted deliveries are on record, the sequences of ${agents} agents have no gap.`
    },
  }
}

/** Sends one delivery. Rejects unless it is accepted. */
function deliver(agent: Agent, url: string, { path, secret }: Target, payload: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(payload),
    'x-webhook-secret': secret,
  }
  const sent = request(url + path, { method: 'POST', agent, headers }, (response) => {
    response.resume().once('end', () => {
      if (response.statusCode === 202) resolve()
      else reject(new Error(`a delivery was answered with ${response.statusCode}`))
    })
  })
  sent.once('error', reject).end(payload)
  return promise
}
