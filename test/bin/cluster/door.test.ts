import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { openDoor } from '../../../bin/cluster/door.ts'
import { freePorts } from '../../../bin/local/ports.ts'

/** A door to a server that sends back what it gets. */
async function openEcho(t: ExecutionContext) {
  const [port = 0, target = 0] = await freePorts(2)
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => undefined).pipe(socket))
  server.listen(target, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const door = await openDoor(port, target)
  t.teardown(() => door.cut())
  return door
}

async function call(t: ExecutionContext, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

async function echoOf(socket: Socket, text: string): Promise<string> {
  socket.write(text)
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return bytes.toString()
}

const failureOf = async (socket: Socket): Promise<unknown> =>
  ((await once(socket, 'error')) as [{ code: string }])[0].code

test('an open door passes everything, also an end', async (t) => {
  const door = await openEcho(t)
  const socket = await call(t, door.port)
  t.is(await echoOf(socket, 'one'), 'one')
  const large = 'x'.repeat(3_000_000)
  let length = 0
  socket.on('data', (bytes: Buffer) => (length += bytes.length))
  socket.end(large)
  await once(socket, 'end')
  t.is(length, large.length)
})

test('a door that was cut breaks connections and refuses new ones, until it is opened', async (t) => {
  const door = await openEcho(t)
  const socket = await call(t, door.port)
  await echoOf(socket, 'one')
  const closed = once(socket, 'close')
  await door.cut()
  await closed
  t.is(await failureOf(connect(door.port, '127.0.0.1')), 'ECONNREFUSED')
  await door.open()
  t.is(await echoOf(await call(t, door.port), 'two'), 'two')
})

test('a held door accepts connections and passes what it held once it is opened', async (t) => {
  const door = await openEcho(t)
  const before = await call(t, door.port)
  await echoOf(before, 'one')
  door.hold()
  const after = await call(t, door.port)
  const heard: string[] = []
  for (const socket of [before, after]) socket.on('data', (bytes: Buffer) => heard.push(bytes.toString()))
  before.write('two')
  after.write('three')
  await new Promise((resolve) => setTimeout(resolve, 100))
  t.deepEqual(heard, [])
  const both = [before, after].map((socket) => once(socket, 'data'))
  await door.open()
  await Promise.all(both)
  t.deepEqual(heard.toSorted(), ['three', 'two'])
})

test('a door delays each direction, in order', async (t) => {
  const door = await openEcho(t)
  const socket = await call(t, door.port)
  await echoOf(socket, 'one')
  door.delay(150)
  const began = performance.now()
  t.is(await echoOf(socket, 'two'), 'two')
  t.true(performance.now() - began >= 290)
})

test('a reset reaches both ends of every connection, and new ones pass', async (t) => {
  const door = await openEcho(t)
  const socket = await call(t, door.port)
  await echoOf(socket, 'one')
  const failed = failureOf(socket)
  door.reset()
  t.is(await failed, 'ECONNRESET')
  t.is(await echoOf(await call(t, door.port), 'two'), 'two')
})
