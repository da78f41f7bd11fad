// @promise cut-off
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker'
import test, { type ExecutionContext } from 'ava'
import { openTunnel } from '../../../src/temporal/tunnel.ts'
import { temporaryCertificates } from '../../helpers/https-server.ts'
import { installRuntime } from '../../helpers/platform.ts'
import { temporalAddress } from '../../helpers/temporal.ts'
import { openTemporalDoor } from '../../helpers/temporal-door.ts'

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
    const proxy = { type: 'http-connect' as const, targetHost: tunnel.address }
    const connection = await NativeConnection.connect({ address, proxy, ...(tls && { tls }) })
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
  const door = await openTemporalDoor(t, temporalAddress())
  const { ask } = await tunnelTo(t, door.address)
  t.true(await ask())
  await door.stop()
  let isAnswered = false
  const answer = ask().finally(() => (isAnswered = true))
  await delay(2000)
  t.false(isAnswered)
  await door.start()
  t.true(await answer)
})

test('a worker that stops waits no longer for a Temporal that is away', async (t) => {
  const door = await openTemporalDoor(t, temporalAddress())
  const { ask, stopping } = await tunnelTo(t, door.address)
  await door.stop()
  const answer = t.throwsAsync(ask())
  await delay(500)
  stopping.abort()
  await answer
})

test('TLS passes through, and the worker verifies the certificate of Temporal for the name of Temporal', async (t) => {
  const { caFile, certFile, keyFile } = await temporaryCertificates()
  const [ca, cert, key] = await Promise.all([caFile, certFile, keyFile].map((file) => readFile(file)))
  const tls = { cert, key } as { cert: Buffer; key: Buffer }
  const door = await openTemporalDoor(t, temporalAddress(), { host: 'localhost', tls })
  const { ask } = await tunnelTo(t, door.address)
  const trusted = { serverRootCACertificate: ca as Buffer }
  t.true(await ask(trusted))
  await t.throwsAsync(ask({ ...trusted, serverNameOverride: 'temporal.example' }), undefined, 'another name')
  await t.throwsAsync(ask(true), undefined, 'another authority')
})

test('an IPv6 address is reached', async (t) => {
  const door = await openTemporalDoor(t, temporalAddress(), { host: '::1' })
  t.true(await (await tunnelTo(t, door.address)).ask())
})

test('the proxy of a worker leads to Temporal only, whatever destination is named', async (t) => {
  const { tunnel } = await tunnelTo(t, temporalAddress())
  const elsewhere = await openTemporalDoor(t, temporalAddress())
  await elsewhere.stop()
  const caller = connect(Number(tunnel.address.split(':')[1]), '127.0.0.1')
  caller.write(`CONNECT ${elsewhere.address} HTTP/1.1\r\nHost: ${elsewhere.address}\r\n\r\n`)
  const [answer] = (await once(caller, 'data')) as [Buffer]
  t.true(answer.toString().startsWith('HTTP/1.1 200 '))
  caller.destroy()
  t.is((await fetch(`http://${tunnel.address}/`)).status, 405)
})
