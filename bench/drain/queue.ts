import { customer, deliver, webhookAgent, type Person } from '../../test/helpers/people.ts'
import type { BenchStores } from '../shared/servers.ts'
import { allCompleted } from './completed.ts'

type Agent = Awaited<ReturnType<typeof webhookAgent>>

/** Owners, whose agents' queues the benchmark fills and watches until they are empty. */
export async function openQueues({ url, database }: Pick<BenchStores, 'url' | 'database'>, ownerCount = 1) {
  const owners = await Promise.all(Array.from({ length: ownerCount }, () => customer({ url }, 'enterprise')))

  return {
    /** Agents that end their runs with one step, and belong to the owners in turn. */
    async agents(count: number): Promise<Agent[]> {
      const agents: Agent[] = []
      for (let number = 0; number < count; number += 1) {
        agents.push(await webhookAgent(owners[number % owners.length] as Person, { systemPrompt: '[[say done]]' }))
      }
      return agents
    },
    /** Runs per second by the record's own times, from the start of the first to the end of the last. */
    async measure(agents: Agent[], count: number): Promise<number> {
      const sent = Array.from({ length: count }, async (_, number) => {
        const { body } = await deliver({ url }, agents[number % agents.length] as Agent, { number })
        return body.runId
      })
      return count / (await allCompleted(database, await Promise.all(sent)))
    },
  }
}
