import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ExecutionContext } from 'ava'
import { listen } from '../../examples/sites/https-server.ts'
import { temporaryCertificates } from './https-server.ts'
import { askSite, type Sites } from './sites.ts'

/** A TCP port in front of another. While it is closed, connections are accepted but no bytes pass. */
export async function startGate(t: ExecutionContext, target: number) {
  let shut = false
  let taken = 0
  let greeted = 0
  let answered = 0
  const sockets = new Set<Socket>()
  const held: (() => void)[] = []
  const server = createServer((caller) => {
    taken += 1
    caller.on('error', () => undefined)
    sockets.add(caller)
    const pass = () => {
      if (caller.destroyed) return
      const site = connect(target, '127.0.0.1')
      sockets.add(site)
      site.once('data', () => (answered += 1))
      site.on('error', () => caller.destroy()).pipe(caller)
      caller.on('close', () => site.destroy()).pipe(site)
    }
    if (!shut) return pass()
    held.push(pass)
    caller.once('readable', () => (greeted += 1))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    taken: () => taken,
    /** How many held connections have sent their first bytes. */
    greeted: () => greeted,
    /** How many connections the target has answered. */
    answered: () => answered,
    shut: () => void (shut = true),
    open: () => {
      shut = false
      for (const pass of held.splice(0)) pass()
    },
  }
}

/** The bad-tools site behind a gate. Its manifest is elsewhere and sends all calls to the gate. */
export async function startGatedTools(t: ExecutionContext, sites: Sites) {
  const gate = await startGate(t, Number(new URL(sites.badTools.origin).port))
  const manifest = (await askSite(`${sites.badTools.origin}/.well-known/toolsite.json`)).json()
  const { server, origin, close } = await listen({ port: 0, tls: await temporaryCertificates() })
  t.teardown(close)
  const body = JSON.stringify({ ...manifest, server: { url: `https://127.0.0.1:${gate.port}/api` } })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(body)
  })
  const gateHost = `127.0.0.1:${gate.port}`
  return { gate, origin, allow: [new URL(origin).host, gateHost], acceptHosts: [gateHost] }
}
