import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { onServer } from '../../test/helpers/database.ts'
import { temporaryFolder } from '../shared/folder.ts'
import { peerPath, peerRoute, peerSecret } from '../shared/peer-queues.ts'
import { versionOf } from '../shared/peers.ts'
import { openRestate } from '../shared/restate.ts'
import type { BenchStores } from '../shared/servers.ts'
import type { Send, Target } from './send.ts'
import { createTally, type Side } from './side.ts'

interface Options {
  send: Send
  payload: string
  agents: number
}

/** A side with what it takes to verify and to end it. */
interface Peer {
  sides: Side[]
  verify: () => Promise<string[]>
  close: () => Promise<unknown>
}

/** Restate, pg-boss and graphile-worker, each behind the platform's kind of route. Nothing is carried out. */
export async function openPeers(stores: BenchStores, options: Options): Promise<Peer[]> {
  return [
    await openRestatePeer(options),
    await openQueue(stores, options, {
      name: 'pg-boss',
      route: 'pg-boss',
      label: `pg-boss ${versionOf('pg-boss')} (key_strict_fifo) behind Koa`,
      count: "select count(*)::int as found from pgboss.job where name = 'deliveries'",
    }),
    await openQueue(stores, options, {
      name: 'graphile-worker',
      route: 'graphile',
      label: `graphile-worker ${versionOf('graphile-worker')} (a queue per agent) behind Koa`,
      count: 'select count(*)::int as found from graphile_worker._private_jobs',
    }),
  ]
}

async function openRestatePeer({ send, payload, agents }: Options): Promise<Peer> {
  const restate = await openRestate(join(temporaryFolder, 'restate'), { HOLD: 'true', SITE: 'unused' })
  const route = await peerRoute('restate', { INGRESS: restate.ingress })
  await route.control.start()
  const version = versionOf('@restatedev/restate-server')
  const tally = createTally()
  const side = (name: string, url: string, targets: Target[]): Side => ({
    name,
    measure: async (connections, seconds) => tally.note(await send(url, targets, connections, seconds), connections),
  })
  const ids = Array.from({ length: agents }, () => randomUUID())
  const direct = ids.map((id) => `/agent/${id}/deliver/send`)
  return {
    sides: [
      side(
        `Restate ${version} (a virtual object per agent), its own ingress`,
        restate.ingress,
        targetsAt(direct, payload),
      ),
      side(`Restate ${version} behind Koa`, route.url, targetsAt(ids.map(peerPath), payload)),
    ],
    verify: async () => [tally.compare('Restate', await restate.count())],
    close: async () => {
      await route.control.stop()
      await restate.close()
    },
  }
}

interface Queue {
  name: string
  route: string
  label: string
  count: string
}

async function openQueue(
  { openDatabase }: BenchStores,
  { send, payload, agents }: Options,
  { name, route, label, count }: Queue,
): Promise<Peer> {
  const database = await openDatabase(route)
  const { control, url } = await peerRoute(route, { DATABASE_URL: database })
  await control.start()
  const tally = createTally()
  const paths = Array.from({ length: agents }, () => peerPath(randomUUID()))
  const targets = targetsAt(paths, payload)
  const measure: Side['measure'] = async (connections, seconds) =>
    tally.note(await send(url, targets, connections, seconds), connections)
  return {
    sides: [{ name: label, measure }],
    verify: async () => {
      const { rows } = await onServer(database, (client) => client.query<{ found: number }>(count))
      return [tally.compare(name, rows[0]?.found ?? 0)]
    },
    close: () => control.stop(),
  }
}

const targetsAt = (paths: string[], body: string): Target[] =>
  paths.map((path) => ({
    path,
    headers: { 'content-type': 'application/json', 'x-webhook-secret': peerSecret },
    body,
  }))
