import { compareRates } from './drain/compare-rates.ts'
import { openPlain } from './drain/plain.ts'
import { openQueues } from './drain/queue.ts'
import { temporaryFolder as folder } from './shared/folder.ts'
import { numbersGiven } from './shared/options.ts'
import { openBenchServers } from './shared/servers.ts'

/**
 * `npm run bench -- serial [--rounds 5] [--runs 60]`: runs of one agent per second, one after the other, each with one
 * step of the demo model, beside empty child workflows of the same shape in the same Temporal, whose code records
 * nothing. All processes share this machine.
 */
const { rounds, runs } = numbersGiven({ rounds: 5, runs: 60 })

const servers = await openBenchServers(folder, true)
try {
  const queues = await openQueues(servers)
  const plain = await openPlain(servers)
  const ours = async (count: number) => queues.measure(await queues.agents(1), count)
  await ours(10)
  await plain.measure(10)
  const sides = [
    { name: 'Switchyard, runs of one agent', measure: () => ours(runs) },
    { name: 'empty child workflows of one workflow', measure: () => plain.measure(runs) },
  ]
  await compareRates({
    title: 'Runs of one agent, one after the other',
    text:
      `${runs} deliveries to one agent, each a run of one step with the demo model, and ${runs} child workflows of the ` +
      'same shape, which record nothing, in the same Temporal.',
    sides,
    rounds,
  })
  await plain.close()
} finally {
  await servers.close()
}
