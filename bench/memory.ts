import { join } from 'node:path'
import { chooseLoad } from './accept/load.ts'
import { apiRows } from './memory/api.ts'
import { limits } from './memory/row.ts'
import { workerRows } from './memory/worker.ts'
import { temporaryFolder } from './shared/folder.ts'
import { numbersGiven } from './shared/options.ts'
import { installPeers } from './shared/peers.ts'
import { publish } from './shared/report.ts'
import { openBenchServers, openBenchStores } from './shared/servers.ts'

/**
 * `npm run bench -- memory [--minutes 2] [--connections 128] [--agents 200] [--runs 2000]`: the resident memory of an
 * API process, idle and under a load of deliveries, and of a worker at its start and after a quarter of its runs and
 * all of them. `--minutes 10` shows whether the API stays level.
 */
const { minutes, connections, agents, runs } = numbersGiven({ minutes: 2, connections: 128, agents: 200, runs: 2000 })
const idleSeconds = 10

await installPeers()
const load = chooseLoad()
const api = await withServers(openBenchStores(join(temporaryFolder, 'api')), (stores) =>
  apiRows(stores, { send: load.send, connections, minutes, idleSeconds }),
)
const worker = await withServers(openBenchServers(join(temporaryFolder, 'worker'), true), (servers) =>
  workerRows(servers, { agents, after: [Math.ceil(runs / 4), runs], idleSeconds }),
)
publish({
  title: 'Memory',
  text: [
    `Resident memory of one process, sampled once a second: the median of a minute or, when idle, of ${idleSeconds} s, ` +
      'and the peak since the process started. The API accepts deliveries of about a thousand bytes to 50 agents over ' +
      `${connections} connections, sent by ${load.name}, and no run starts. The worker makes runs of one ` +
      `step with the demo model for ${agents} agents of ten owners. While it starts, another process, which is not ` +
      'counted, bundles its workflow code for a few seconds. The ratio divides the resident memory by the limit, ' +
      `which is ${limits.API} MB for an API process and ${limits.worker} MB for a worker.`,
  ],
  columns: ['process', 'when', 'MB', 'peak MB', 'limit MB', 'ratio'],
  rows: [...api.rows, ...worker],
  notes: [`The API accepted ${api.accepted.toLocaleString('en')} deliveries.`],
})

async function withServers<S extends { close(): Promise<void> }, T>(
  opening: Promise<S>,
  work: (servers: S) => Promise<T>,
) {
  const servers = await opening
  try {
    return await work(servers)
  } finally {
    await servers.close()
  }
}
