import { appendFileSync } from 'node:fs'
import { Socket } from 'node:net'

/*
 * Loaded first into a process and its threads: writes the port or path of each connection that they open to the file in
 * this module's address, a line each.
 */
const file = new URL(import.meta.url).searchParams.get('file') ?? ''
Socket.prototype.connect = new Proxy(Reflect.get(Socket.prototype, 'connect'), {
  apply(connect, socket, given: unknown[]) {
    const [first] = given.flat() as [{ port?: unknown; path?: unknown } | number | string]
    appendFileSync(file, `${typeof first === 'object' ? String(first.port ?? first.path) : first}\n`)
    return Reflect.apply(connect, socket, given) as unknown
  },
})
