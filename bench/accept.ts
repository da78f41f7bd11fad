import { mkdtempSync, rmSync, chmodSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './shared/median.ts'
import { openBenchServers } from './shared/servers.ts'
import { openInserts } from './accept/inserts.ts'
import { openWebhooks } from './accept/webhooks.ts'

/**
 * `npm run bench -- accept`: how many deliveries a second the webhook endpoint accepts (one API process, each reply after
 * its commit), against how many rows a second the same Postgres takes when pgbench inserts the same row with as many
 * clients, one transaction each. Both are measured in turn, because a machine varies from minute to minute; the result
 * is the median of the rounds' ratios. Load, endpoint and Postgres share this machine.
 */
const rounds = 3
const seconds = 3
const connections = [32, 128]

const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
// If we are root, Postgres runs as another user, which must get through.
chmodSync(folder, 0o711)
const servers = await openBenchServers(folder)
try {
  const webhooks = await openWebhooks(servers)
  const inserts = await openInserts(servers, webhooks.payload)
  console.log(`The other side: ${inserts.name}\n`)
  await webhooks.measure(32, 1)
  for (const clients of connections) {
    const ratios: number[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const accepted = await webhooks.measure(clients, seconds)
      const inserted = await inserts.measure(clients, seconds)
      ratios.push(accepted / inserted)
      console.log(
        `${clients} connections, round ${round}: ${accepted.toFixed(0)} deliveries/s accepted, ` +
          `${inserted.toFixed(0)} rows/s inserted, ratio ${(accepted / inserted).toFixed(2)}`,
      )
    }
    console.log(`${clients} connections: median ratio ${median(ratios).toFixed(2)}\n`)
  }
  console.log(await webhooks.verify())
} finally {
  await servers.close()
  rmSync(folder, { recursive: true, force: true })
}
