import type { ExecutionContext } from 'ava'
import { openDoor, type Entrance } from '../../bin/cluster/door.ts'
import { freePorts } from '../../bin/local/ports.ts'

/** A door in front of a server of this machine that closes with the test, and how to reach the server through it. */
export async function openDoorTo(t: ExecutionContext, address: string, entrance: Entrance = {}) {
  const { host = '127.0.0.1' } = entrance
  const [port = 0] = await freePorts(1)
  const door = await openDoor(port, Number(new URL(`tcp://${address}`).port), entrance)
  t.teardown(() => door.cut())
  const own = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return {
    ...door,
    address: own,
    /** The same URL through this door, and without the socket that tests otherwise use for their database. */
    through: (url: string): string => Object.assign(new URL(url), { host: own, search: '' }).href,
  }
}
