// @promise large-requests
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createHttpServer } from '../../api/server.ts'
import { eventually } from '../helpers/eventually.ts'

const limits = { requestMs: 600, answerMs: 600 }

/** A server whose answers are as long as the path says, or never come. */
async function listen(t: ExecutionContext, more: { maxConnections?: number } = {}) {
  const { server, serve, drain } = createHttpServer({ ...limits, ...more })
  let begun = 0
  serve((request, response) => {
    begun += 1
    request.resume()
    if (request.url !== '/never') response.end('x'.repeat(Number(request.url?.slice(1) ?? 0)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const count = () => new Promise<number>((resolve) => server.getConnections((_, open) => resolve(open)))
  /** A client that keeps its side open, whatever the server does. */
  const client = (bytes: string): Socket => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    t.teardown(() => socket.destroy())
    socket.on('error', () => undefined).write(bytes)
    return socket
  }
  return { client, count, begun: () => begun, drain }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

const clients: [what: string, bytes: string, later?: string][] = [
  ['says nothing', ''],
  ['does not end its body', 'POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n'],
  ['sends no HTTP', 'Hello?\r\n\r\n'],
  ['sends headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nX-Any: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['expects what there is not', 'POST /1 HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nContent-Length: 2\r\n\r\n'],
  ['says nothing after its answer', get('/1')],
]

for (const [what, bytes, later] of clients)
  test(`the connection of a client that ${what} ends, although the client keeps it open`, async (t) => {
    const { client, count } = await listen(t)
    const socket = client(bytes)
    socket.resume()
    await eventually(5, 'it is connected', async () =>
      (await count()) === 1 || socket.readableEnded ? true : undefined,
    )
    if (later !== undefined) {
      await delay(100)
      socket.write(later)
    }
    await eventually(20, 'the server has no connection any more', async () =>
      (await count()) === 0 ? true : undefined,
    )
    t.pass()
  })

test('the connection of a client that does not read its answer ends', async (t) => {
  const { client, count } = await listen(t)
  client(get('/20000000')).pause()
  await eventually(5, 'it is connected', async () => ((await count()) === 1 ? true : undefined))
  await eventually(20, 'the server has no connection any more', async () => ((await count()) === 0 ? true : undefined))
  t.pass()
})

test('a client that waits for its answer keeps its connection, however long it takes', async (t) => {
  const { client, count } = await listen(t)
  client(get('/never')).resume()
  await delay(2500)
  t.is(await count(), 1)
})

test('of requests that come without waiting for answers ten are begun, and then the connection ends', async (t) => {
  const { client, begun } = await listen(t)
  const socket = client(get('/1').repeat(500))
  await new Promise((resolve) => socket.resume().once('close', resolve).once('end', resolve))
  t.true(begun() <= 10, `${begun()} were begun`)
})

test('ten requests at once are answered on one connection, and again ten', async (t) => {
  const { client } = await listen(t)
  const socket = client('')
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  for (const round of [1, 2]) {
    socket.write(get('/1').repeat(10))
    await eventually(5, 'all are answered', () =>
      text.split('HTTP/1.1 200').length === 10 * round + 1 ? true : undefined,
    )
    await delay(20)
  }
  t.pass()
})

test('there are at most as many connections as the setting says', async (t) => {
  const { client, count } = await listen(t, { maxConnections: 2 })
  const sockets = [1, 2, 3, 4].map(() => client('GET / HTTP/1.1\r\n').resume())
  await eventually(5, 'two are closed at once', () =>
    sockets.filter((one) => one.readableEnded || one.destroyed).length >= 2 ? true : undefined,
  )
  t.true((await count()) <= 2)
})

test('a server that ends answers a client once more, and asks it to close its connection, before it stops listening', async (t) => {
  const { client, count, drain } = await listen(t)
  const socket = client(get('/1'))
  const answers: string[] = []
  socket.setEncoding('utf8').on('data', (text: string) => answers.push(text))
  const answered = (times: number) =>
    eventually(5, `${times} answers`, () => (answers.join('').split('HTTP/1.1 200').length > times ? true : undefined))
  await answered(1)
  const drained = drain(400)
  await delay(100)
  socket.write(get('/2'))
  await answered(2)
  t.notRegex(answers[0] ?? '', /Connection: close/i)
  t.regex(answers.slice(1).join(''), /Connection: close/i)
  // A client that did not know yet.
  const late = client(get('/3'))
  late.resume()
  await drained
  t.is(await count(), 0)
})

test('an idle connection ends with the notice', async (t) => {
  const { client, count, drain } = await listen(t)
  client(get('/1')).resume()
  await eventually(5, 'it is connected', async () => ((await count()) === 1 ? true : undefined))
  const began = performance.now()
  await drain(300)
  const took = performance.now() - began
  t.true(took >= 290 && took < 2000, `${took} ms`)
})
