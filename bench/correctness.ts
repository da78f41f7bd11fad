import { join } from 'node:path'
import { createCertificates } from '../bin/local/certificates.ts'
import type { Contestant } from './correctness/contestant.ts'
import { openOurs } from './correctness/ours.ts'
import { openQueuePeer, openRestatePeer } from './correctness/peers.ts'
import { answerMs, startListSite } from './correctness/site.ts'
import { trial } from './correctness/trial.ts'
import { temporaryFolder as folder } from './shared/folder.ts'
import { numbersGiven } from './shared/options.ts'
import { installPeers } from './shared/peers.ts'
import { publish } from './shared/report.ts'
import { openBenchStores } from './shared/servers.ts'

/**
 * `npm run bench -- correctness [--items 30] [--kills 20] [--seconds 60]`: what is lost, doubled or reordered on each
 * side while its accepting and its working process are killed by the same schedule.
 */
const schedule = numbersGiven({ items: 30, kills: 20, seconds: 60 })
const agents = 10

await installPeers()
const certificates = await createCertificates(join(folder, 'certificates'))
const site = await startListSite(certificates)
const stores = await openBenchStores(folder, true, {
  SITE_ALLOW: new URL(site.origin).host,
  SITE_CA_FILE: certificates.caFile,
  DEMO_DIRECTIVES: 'true',
  OUTGOING_PER_MINUTE: '1000000000',
})
const forPeers = { SITE: site.origin, NODE_EXTRA_CA_CERTS: certificates.caFile }
const openers: (() => Promise<Contestant>)[] = [
  () => openOurs(stores, site, agents),
  () => openRestatePeer(forPeers, agents),
  () => openQueuePeer('pg-boss', stores, forPeers, agents),
  () => openQueuePeer('graphile', stores, forPeers, agents),
]
const [rows, notes]: [string[][], string[]] = [[], []]
try {
  for (const open of openers) await compete(await open())
  publish({
    title: 'Correctness under kills',
    text: [
      `A sender delivers ${schedule.items} numbered items to each of ${agents} agents within ${schedule.seconds} s, and ` +
        'repeats each under the same idempotency key until it is accepted. Meanwhile, the working and the accepting ' +
        `process are killed in turn, ${schedule.kills} times, and started again at once. The databases, Temporal and ` +
        'the Restate server keep running. The work of an item is one request to a site, which appends the number to ' +
        `the list of its agent, answers ${answerMs} ms later and does not look for repeats.`,
      'Lost: accepted, and without an effect when nothing had happened for a minute and a half. Doubled: effects ' +
        'beyond the first of an item. Reordered: items whose first effect came after that of a later item of the same ' +
        'agent. A repeated attempt counts only if its effect was repeated. A side that had few effects during the kills ' +
        'had little to lose or to double.',
    ],
    columns: [
      'side',
      'items',
      'lost',
      'doubled',
      'reordered',
      'effects during the kills',
      'repeats of the sender',
      'seconds until the last effect',
    ],
    rows,
    notes,
  })
} finally {
  await stores.close()
  await site.close()
}

async function compete(contestant: Contestant): Promise<void> {
  const { name, inboxes, reported } = contestant
  try {
    console.log(`${name} …`)
    const { lost, doubled, reordered, duringKills, repeats, settled } = await trial(contestant, site, schedule)
    const figures = [
      inboxes.length * schedule.items,
      lost,
      doubled,
      reordered,
      duringKills,
      repeats,
      settled.toFixed(0),
    ]
    rows.push([name, ...figures.map(String)])
    console.log(`  lost ${lost}, doubled ${doubled}, reordered ${reordered}`)
    if (reported) notes.push(`${name}: ${await reported()}`)
  } finally {
    await contestant.close()
  }
}
