import { openPlain } from './drain/plain.ts'
import { openQueue } from './drain/queue.ts'
import { temporaryFolder as folder } from './shared/folder.ts'
import { compareRates } from './shared/compare-rates.ts'
import { openBenchServers } from './shared/servers.ts'

/**
 * `npm run bench -- drain`: runs of one agent per second, in sequence, each with one step of the demo model, compared
 * with empty child workflows of the same shape in the same Temporal, whose code records nothing. Both are measured in
 * turn, because a machine varies from minute to minute. The result is the median of the rounds' ratios. All processes
 * share this machine.
 */
const count = 100

const servers = await openBenchServers(folder, true)
try {
  const queue = await openQueue(servers)
  const plain = await openPlain(servers)
  await queue.measure(10)
  await plain.measure(10)
  await compareRates(
    { unit: 'runs/s', measure: () => queue.measure(count) },
    { unit: 'empty child workflows/s', measure: () => plain.measure(count) },
  )
  await plain.close()
} finally {
  await servers.close()
}
