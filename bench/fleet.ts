import { compareRates } from './drain/compare-rates.ts'
import { openPlain } from './drain/plain.ts'
import { openQueues } from './drain/queue.ts'
import { temporaryFolder as folder } from './shared/folder.ts'
import { numbersGiven } from './shared/options.ts'
import { openBenchServers } from './shared/servers.ts'

/**
 * `npm run bench -- fleet [--rounds 5] [--agents 50] [--each 4]`: runs of many agents at the same time per second, each
 * with one step of the demo model, beside as many workflows with empty child workflows of the same shape in the same
 * Temporal. All processes share this machine.
 */
const { rounds, agents: agentCount, each } = numbersGiven({ rounds: 5, agents: 50, each: 4 })
const runs = agentCount * each

/** Workers limit the model calls of one owner, and limits are not measured. */
const owners = 10

const servers = await openBenchServers(folder, true)
try {
  const queues = await openQueues(servers, owners)
  const plain = await openPlain(servers)
  const agents = await queues.agents(agentCount)
  await queues.measure(agents, agentCount)
  await plain.measure(agentCount, agentCount)
  const sides = [
    { name: `Switchyard, runs of ${agentCount} agents`, measure: () => queues.measure(agents, runs) },
    { name: `empty child workflows of ${agentCount} workflows`, measure: () => plain.measure(runs, agentCount) },
  ]
  await compareRates({
    title: 'Runs of many agents at the same time',
    text:
      `${runs} deliveries to ${agentCount} agents at once, ${each} each, and ${agentCount} workflows at once with ${each} ` +
      'empty child workflows each. A run is one step with the demo model. Meanwhile the API accepts the deliveries.',
    sides,
    rounds,
  })
  await plain.close()
} finally {
  await servers.close()
}
