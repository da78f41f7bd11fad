// @promise cut-off
import { readFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker'
import test, { type ExecutionContext } from 'ava'
import { openTunnel } from '../../../src/temporal/tunnel.ts'
import { temporaryCertificates } from '../../helpers/https-server.ts'
import { installRuntime } from '../../helpers/platform.ts'
import { temporalAddress } from '../../helpers/temporal.ts'
import { openDoorTo } from '../../helpers/door.ts'

await installRuntime()

/** A tunnel to the address, and what its worker does: connects, and waits for an answer. */
async function tunnelTo(t: ExecutionContext, address: string) {
  const stopping = new AbortController()
  const tunnel = await openTunnel(address, stopping.signal)
  t.teardown(() => {
    stopping.abort()
    tunnel.close()
  })
  const ask = async (tls?: NativeConnectionOptions['tls']): Promise<boolean> => {
    const connection = await NativeConnection.connect({ address, proxy: tunnel.proxy, ...(tls && { tls }) })
    try {
      const { capabilities } = await connection.workflowService.getSystemInfo({})
      return Boolean(capabilities)
    } finally {
      await connection.close()
    }
  }
  return { ask, tunnel, stopping }
}

test('a connection waits while Temporal is away, and passes when it is back', async (t) => {
  const door = await openDoorTo(t, temporalAddress())
  const { ask } = await tunnelTo(t, door.address)
  t.true(await ask())
  await door.cut()
  let isAnswered = false
  const answer = ask().finally(() => (isAnswered = true))
  await delay(2000)
  t.false(isAnswered)
  await door.open()
  t.true(await answer)
})

test('a worker that stops waits no longer for a Temporal that is away', async (t) => {
  const door = await openDoorTo(t, temporalAddress())
  const { ask, stopping } = await tunnelTo(t, door.address)
  await door.cut()
  const answer = t.throwsAsync(ask())
  await delay(500)
  stopping.abort()
  await answer
})

test('TLS passes through, and the worker verifies the certificate of Temporal for the name of Temporal', async (t) => {
  const { caFile, certFile, keyFile } = await temporaryCertificates()
  const [ca, cert, key] = await Promise.all([caFile, certFile, keyFile].map((file) => readFile(file)))
  const tls = { cert, key } as { cert: Buffer; key: Buffer }
  const door = await openDoorTo(t, temporalAddress(), { host: 'localhost', tls: { ...tls, ALPNProtocols: ['h2'] } })
  const { ask } = await tunnelTo(t, door.address)
  const trusted = { serverRootCACertificate: ca as Buffer }
  t.true(await ask(trusted))
  await t.throwsAsync(ask({ ...trusted, serverNameOverride: 'temporal.example' }), undefined, 'another name')
  await t.throwsAsync(ask(true), undefined, 'another authority')
})

test('an IPv6 address is reached', async (t) => {
  const door = await openDoorTo(t, temporalAddress(), { host: '::1' })
  t.true(await (await tunnelTo(t, door.address)).ask())
})

/** A server in the place of Temporal that repeats what it receives, and counts its connections. */
async function openEcho(t: ExecutionContext) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => undefined))
    socket.pipe(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  t.teardown(stop)
  return {
    address: `127.0.0.1:${port}`,
    sockets,
    stop,
    start: () => once(server.listen(port, '127.0.0.1'), 'listening'),
  }
}

type Tunnel = Awaited<ReturnType<typeof openTunnel>>

const credential = ({ proxy: { basicAuth } }: Tunnel, password = basicAuth.password) =>
  `Basic ${Buffer.from(`${basicAuth.username}:${password}`).toString('base64')}`

/** Asks the tunnel for a destination and sends the text in the same packet. */
function request(
  t: ExecutionContext,
  tunnel: Tunnel,
  { destination, authorization = credential(tunnel), text = '' }: Asked,
) {
  const caller = connect(Number(tunnel.proxy.targetHost.split(':')[1]), '127.0.0.1')
  t.teardown(() => caller.destroy())
  const header = authorization && `Proxy-Authorization: ${authorization}\r\n`
  caller.write(`CONNECT ${destination} HTTP/1.1\r\nHost: ${destination}\r\n${header}\r\n${text}`)
  return caller
}

interface Asked {
  destination: string
  authorization?: string
  text?: string
}

/** All that arrives until the other side ends the connection. */
async function answerOf(caller: Socket): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of caller) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

test('a caller without the password of the proxy is refused', async (t) => {
  const { address, sockets } = await openEcho(t)
  const { tunnel } = await tunnelTo(t, address)
  const { password } = tunnel.proxy.basicAuth
  const wrong = [
    '',
    'Basic',
    credential(tunnel, password.toUpperCase()),
    `${credential(tunnel)}=`,
    `Bearer ${password}`,
  ]
  for (const authorization of wrong) {
    const answer = await answerOf(request(t, tunnel, { destination: address, authorization }))
    t.regex(answer, /^HTTP\/1\.1 407 [^]*\r\nProxy-Authenticate: Basic realm="worker"\r\n/, authorization)
    t.notRegex(answer, new RegExp(password))
  }
  t.is(sockets.size, 0)
  const { tunnel: another } = await tunnelTo(t, address)
  t.not(another.proxy.basicAuth.password, password)
  t.is((await fetch(`http://${tunnel.proxy.targetHost}/`)).status, 405)
})

test('a caller that asks for another destination than Temporal is refused', async (t) => {
  const { address } = await openEcho(t)
  const elsewhere = await openEcho(t)
  const { tunnel } = await tunnelTo(t, address)
  const others = [elsewhere.address, address.replace('127.0.0.1', '127.0.0.2'), '127.0.0.1', '', ':', '/']
  for (const destination of others) {
    t.regex(await answerOf(request(t, tunnel, { destination })), /^HTTP\/1\.1 40[03] /, destination)
  }
  t.is(elsewhere.sockets.size, 0)
})

test('what a caller sends together with its request arrives, also after a wait', async (t) => {
  const { address, stop, start } = await openEcho(t)
  const { tunnel } = await tunnelTo(t, address)
  await stop()
  const caller = request(t, tunnel, { destination: address, text: 'one ' })
  await delay(100)
  caller.write('two ')
  await delay(500)
  await start()
  let answer = ''
  caller.setEncoding('utf8').on('data', (piece: string) => {
    if (answer === '') caller.end('three')
    answer += piece
  })
  await once(caller, 'end')
  t.is(answer, 'HTTP/1.1 200 OK\r\n\r\none two three')
})

test('a caller that hangs up while Temporal is away is let go', async (t) => {
  const { address, sockets, stop, start } = await openEcho(t)
  const { tunnel } = await tunnelTo(t, address)
  await stop()
  // With FIN: its own side stays open for an answer.
  for (const text of ['', 'sent before']) {
    const caller = request(t, tunnel, { destination: address, text })
    await delay(300)
    caller.end()
    t.is(await answerOf(caller), '', 'the proxy ends its side, too')
  }
  await start()
  await delay(1000)
  t.is(sockets.size, 0)
})
