import { measureInTurn } from './shared/compare.ts'
import { temporaryFolder as folder } from './shared/folder.ts'
import { numbersGiven } from './shared/options.ts'
import { installPeers } from './shared/peers.ts'
import { publish } from './shared/report.ts'
import { openBenchStores } from './shared/servers.ts'
import { openInserts } from './accept/inserts.ts'
import { chooseLoad } from './accept/load.ts'
import { openOurs } from './accept/ours.ts'
import { openPeers } from './accept/peers.ts'
import { inWords, rowsOf } from './accept/rows.ts'

/**
 * `npm run bench -- accept [--rounds 5] [--seconds 4]`: deliveries per second that one API process accepts, each reply
 * after its commit, beside the rows per second that pgbench inserts and what Restate, pg-boss and graphile-worker
 * accept. Load, servers and Postgres share this machine.
 */
const { rounds, seconds } = numbersGiven({ rounds: 5, seconds: 4 })
const connections = [32, 128]
const agents = 50
const payload = JSON.stringify({ event: 'order.paid', number: 1, note: 'x'.repeat(970) })

await installPeers()
const load = chooseLoad()
const stores = await openBenchStores(folder)
const closing: (() => Promise<unknown>)[] = [() => stores.close()]
try {
  const options = { send: load.send, payload, agents }
  const inserts = await openInserts(stores, payload)
  const ours = await openOurs(stores, options)
  closing.push(() => ours.close())
  const peers = await openPeers(stores, options)
  closing.push(...peers.map((peer) => () => peer.close()))

  const sides = [...ours.sides, inserts, ...peers.flatMap(({ sides }) => sides)]
  for (const side of sides) await side.measure(32, 1)
  const rows: string[][] = []
  for (const count of connections) {
    const loaded = sides.map(({ name, measure }) => ({ name, measure: () => measure(count, seconds) }))
    rows.push(...rowsOf(await measureInTurn(loaded, rounds, inWords), count))
  }
  const verified = (await Promise.all([ours, ...peers].map((side) => side.verify()))).flat()
  publish({
    title: 'Accepting deliveries',
    text: [
      `Deliveries of ${payload.length} bytes to ${agents} agents, sent by ${load.name}: medians of ${rounds} rounds of ` +
        `${seconds} s, in which all sides take turns. The ratio divides the rate of Switchyard by that of the line. Every ` +
        'side answers after its data is on disk. pg-boss, graphile-worker and pgbench use the same Postgres. Behind Koa, a ' +
        'peer has the same router, body reader and check of a secret. No run starts meanwhile.',
    ],
    columns: ['side', 'connections', 'a second', 'p99 ms', 'ratio'],
    rows,
    notes: verified,
  })
} finally {
  for (const close of closing.toReversed()) await close()
}
