import { customer, deliver, webhookAgent } from '../../test/helpers/people.ts'
import { allEnded } from '../../test/helpers/runs.ts'
import type { BenchServers } from '../shared/servers.ts'

/** An owner, whose agents' queues the benchmark fills and watches until they are empty. */
export async function openQueue({ url }: BenchServers) {
  const owner = await customer({ url }, 'enterprise')
  return {
    /** Runs per second by the record's own times, from the start of the first to the end of the last. */
    async measure(count: number): Promise<number> {
      const agent = await webhookAgent(owner, { systemPrompt: '[[say done]]' })
      await Promise.all(Array.from({ length: count }, (_, number) => deliver({ url }, agent, { number })))
      const runs = await allEnded(owner, agent, 120)
      if (runs.length !== count || runs.some(({ status }) => status !== 'completed')) {
        throw new Error(`not all of the ${count} runs were completed`)
      }
      const first = Date.parse(String(runs.at(0)?.startedAt))
      const last = Date.parse(String(runs.at(-1)?.endedAt))
      return count / ((last - first) / 1000)
    },
  }
}
