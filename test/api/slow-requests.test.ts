import { connect, type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createHttpServer } from '../../api/server.ts'

async function listen(t: ExecutionContext, requestMs: number): Promise<number> {
  const { server, serve } = createHttpServer({ requestMs })
  serve((request, response) => {
    request.resume().once('end', () => response.end('whole'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

/** Sends the beginning of a request and then a byte from time to time. Resolves with the answer and its time in ms. */
async function drip(port: number, head: string, byte: string): Promise<{ answer: string; ms: number }> {
  const socket = connect(port, '127.0.0.1')
  const began = performance.now()
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString())).on('error', () => undefined)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write(head)
  const dripping = setInterval(() => socket.writable && socket.write(byte), 50)
  await closed
  clearInterval(dripping)
  return { answer, ms: performance.now() - began }
}

const slow: [what: string, head: string, byte: string][] = [
  ['headers', 'POST / HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'a'],
  ['a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n', 'a'],
  ['chunks', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\na\r\n'],
]

for (const [what, head, byte] of slow)
  test(`a request that sends ${what} too slowly is cut off at the time that the answer names`, async (t) => {
    const port = await listen(t, 1500)
    const { answer, ms } = await drip(port, head, byte)
    t.true(ms > 1400, `after ${ms} ms`)
    // Node would look every 30 seconds.
    t.true(ms < 12_000, `after ${ms} ms`)
    t.regex(answer, /^HTTP\/1\.1 408 /)
    t.regex(answer, /"code":"REQUEST_TIMEOUT"/)
    t.regex(answer, /"error":"The request was not complete within 1\.5 seconds\."/)
  })

test('a request that is slow but in time is answered', async (t) => {
  const port = await listen(t, 30_000)
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  for (const part of ['POST / HTTP/1.1\r\n', 'Host: x\r\nConnection: close\r\n', 'Content-Length: 2\r\n\r\na', 'b']) {
    socket.write(part)
    await delay(20)
  }
  await closed
  t.regex(answer, /whole$/)
})
