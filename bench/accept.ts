import { temporaryFolder as folder } from './shared/folder.ts'
import { compareRates } from './shared/compare-rates.ts'
import { openBenchServers } from './shared/servers.ts'
import { openInserts } from './accept/inserts.ts'
import { openWebhooks } from './accept/webhooks.ts'

/**
 * `npm run bench -- accept`: deliveries per second that the webhook endpoint accepts (one API process, each reply
 * after its commit), compared with the rows per second that pgbench inserts into the same Postgres with as many
 * clients, one transaction per row. Both are measured in turn, because a machine varies from minute to minute. The
 * result is the median of the rounds' ratios. Load, endpoint and Postgres share this machine.
 */
const seconds = 3
const connections = [32, 128]

const servers = await openBenchServers(folder)
try {
  const webhooks = await openWebhooks(servers)
  const inserts = await openInserts(servers, webhooks.payload)
  console.log(`The other side: ${inserts.name}\n`)
  await webhooks.measure(32, 1)
  for (const clients of connections) {
    const accepted = { unit: 'deliveries/s accepted', measure: () => webhooks.measure(clients, seconds) }
    const inserted = { unit: 'rows/s inserted', measure: () => inserts.measure(clients, seconds) }
    await compareRates(accepted, inserted, `${clients} connections, `)
  }
  console.log(await webhooks.verify())
} finally {
  await servers.close()
}
