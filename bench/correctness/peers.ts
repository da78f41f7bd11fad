import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { temporaryFolder } from '../shared/folder.ts'
import { peerPath, peerRoute, peerSecret, peerWorker } from '../shared/peer-queues.ts'
import { versionOf } from '../shared/peers.ts'
import { openRestate } from '../shared/restate.ts'
import type { BenchStores } from '../shared/servers.ts'
import type { Contestant } from './contestant.ts'
import type { Inbox } from './items.ts'

/** The environment in which a peer's worker finds the site. */
export type SiteSettings = Record<'SITE' | 'NODE_EXTRA_CA_CERTS', string>

export async function openRestatePeer(site: SiteSettings, agents: number): Promise<Contestant> {
  const restate = await openRestate(join(temporaryFolder, 'restate'), site)
  const { control, url } = await peerRoute('restate', { INGRESS: restate.ingress })
  await control.start()
  return {
    name: `Restate ${versionOf('@restatedev/restate-server')} (a virtual object per agent)`,
    inboxes: inboxesAt(url, agents),
    victims: { accepting: control, working: restate.service },
    close: async () => {
      await control.stop()
      await restate.close()
    },
  }
}

const labels = {
  'pg-boss': 'pg-boss %s (key_strict_fifo, heartbeats of 10 s, retries without end)',
  graphile: 'graphile-worker %s (a queue per agent; a new worker unlocks what the killed one held)',
}
const packages = { 'pg-boss': 'pg-boss', graphile: 'graphile-worker' }

export async function openQueuePeer(
  name: 'pg-boss' | 'graphile',
  { openDatabase }: BenchStores,
  site: SiteSettings,
  agents: number,
): Promise<Contestant> {
  const database = { DATABASE_URL: await openDatabase(name) }
  const { control: accepting, url } = await peerRoute(name, database)
  const working = peerWorker(name, { ...database, ...site })
  // The route first, because it creates the tables.
  await accepting.start()
  await working.start()
  return {
    name: labels[name].replace('%s', versionOf(packages[name])),
    inboxes: inboxesAt(url, agents),
    victims: { accepting, working },
    close: () => Promise.all([accepting.stop(), working.stop()]),
  }
}

const inboxesAt = (url: string, agents: number): Inbox[] =>
  Array.from({ length: agents }, () => {
    const agent = randomUUID()
    return {
      agent,
      url: url + peerPath(agent),
      headers: { 'x-webhook-secret': peerSecret },
      bodyOf: (number: number) => JSON.stringify({ number }),
    }
  })
