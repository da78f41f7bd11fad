import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'

/**
 * A proxy to a server of this machine, over a network that a test can make bad: `slow` sets how long bytes travel each
 * way, in milliseconds. After `cut`, nothing arrives and nobody is told, until `heal`; then everything arrives.
 */
export async function openSlowDoor(t: ExecutionContext, address: string) {
  const target = new URL(`tcp://${address}`)
  const sockets = new Set<Socket>()
  let travelMs = 0
  let whole = Promise.resolve()
  let heal = (): void => {}

  /** Passes on what comes, and no byte overtakes another. */
  function carry(from: Socket, to: Socket): void {
    let last = Promise.resolve()
    const arrive = async (at: number, before: Promise<void>, work: () => void): Promise<void> => {
      await before
      const left = at - performance.now()
      if (left > 0) await delay(left)
      await whole
      work()
    }
    const later = (work: () => void): void => void (last = arrive(performance.now() + travelMs, last, work))
    sockets.add(from)
    from
      .setNoDelay()
      .on('data', (bytes: Buffer) => later(() => void (to.writable && to.write(bytes))))
      .on('end', () => later(() => to.end()))
      .on('error', () => undefined)
      .on('close', () => {
        sockets.delete(from)
        later(() => to.destroy())
      })
  }

  const server = createServer((caller) => {
    const callee = connect(Number(target.port), target.hostname)
    carry(caller, callee)
    carry(callee, caller)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    heal()
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const own = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    address: own,
    /** The same URL through this door, and without the socket that tests otherwise use for their database. */
    through: (url: string): string => Object.assign(new URL(url), { host: own, search: '' }).href,
    slow: (ms: number): void => void (travelMs = ms),
    cut: (): void => {
      const { promise, resolve } = Promise.withResolvers<void>()
      whole = promise
      heal = resolve
    },
    heal: (): void => heal(),
  }
}
