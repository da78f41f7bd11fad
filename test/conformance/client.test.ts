import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import test, { type ExecutionContext } from 'ava'
import { freePorts } from '../../bin/local/ports.ts'
import { createClient } from '../../conformance/client.ts'
import { Unanswered, Untried } from '../../conformance/deviation.ts'
import { secondsToWait } from '../../conformance/retry-after.ts'
import { startHttpsSite } from '../helpers/https-server.ts'
import { startFakePlatform } from './fake-platform.ts'

function clientOf(t: ExecutionContext, base: string) {
  const said: string[] = []
  const client = createClient({ base, say: (text) => said.push(text) })
  t.teardown(() => client.close())
  return { client, said }
}

test('an answer that begins and never ends is given up when its time is over', async (t) => {
  const { origin } = await startFakePlatform(t, {
    'GET /endless': (_request, response) => void response.writeHead(200).write('{'),
  })
  const { client } = clientOf(t, origin)
  const sent = client.send({ url: '/endless' }, { seconds: 0.3 })
  const message = 'GET /endless was not answered: it took longer than 0.3 s.'
  await t.throwsAsync(sent, { instanceOf: Unanswered, message })
})

test('a request that is left ends its connection, also when garbage was collected while its answer was read', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const closed = Promise.withResolvers<void>()
  const { origin } = await startFakePlatform(t, {
    'GET /endless': (_request, response) =>
      void response
        .on('close', () => closed.resolve())
        .writeHead(200)
        .write('{'),
  })
  const { client } = clientOf(t, origin)
  const leaving = new AbortController()
  const sent = client.send({ url: '/endless', signal: leaving.signal }, { seconds: 20 })
  await delay(200)
  for (let times = 0; times < 5; times += 1) {
    collect()
    await delay(20)
  }
  leaving.abort()
  await t.throwsAsync(sent, { instanceOf: Unanswered, message: /^(?!.*took longer)/ })
  await closed.promise
})

test('an answer that grows without end is given up, too', async (t) => {
  const block = Buffer.alloc(1024 * 1024, 'a')
  const { origin } = await startFakePlatform(t, {
    'GET /endless': (_request, response) => {
      response.on('drain', () => void response.write(block)).writeHead(200)
      while (response.write(block));
    },
  })
  const { client } = clientOf(t, origin)
  const message = 'GET /endless was not answered: its body is too long.'
  await t.throwsAsync(client.send({ url: '/endless' }), { instanceOf: Unanswered, message })
})

test('nothing that a network failure says about an address is repeated, but where it failed and why', async (t) => {
  const { origin: http } = await startFakePlatform(t)
  const { origin: https, port } = await startHttpsSite(t, (_request, response) => void response.end())
  const [free] = await freePorts(1)
  const { client } = clientOf(t, http)
  const why = (url: string) =>
    client.send({ url: `${url}/callback?code=secret` }).then(
      () => 'answered',
      (error: unknown) => (error as Error).message.replace('GET /callback was not answered: ', ''),
    )
  t.is(await why(`http://127.0.0.1:${free}`), `nothing listens at http://127.0.0.1:${free}.`)
  t.is(await why('http://127.0.0.1:1'), 'fetch asks no server at port 1.')
  const tls = `the certificate of ${https} is not trusted (NODE_EXTRA_CA_CERTS names a file of authorities to trust).`
  t.is(await why(https), tls)
  t.is(await why(`http://localhost:${port}`), `the connection was closed; perhaps it is https://localhost:${port}.`)
  const { host } = new URL(http)
  t.is(await why(`https://${host}`), `what listens at ${host} does not speak TLS; perhaps it is ${http}.`)
})

test('what does not speak HTTP is named as that, though the parser gives no code', async (t) => {
  // The settings with which a server of HTTP/2 begins, as one of gRPC does.
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
  const server = createServer((socket) => void socket.on('error', () => undefined).write(settings)).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  t.teardown(() => server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const { client } = clientOf(t, `http://${host}`)
  const message = `GET /readyz was not answered: what came is not HTTP; perhaps it is https://${host}.`
  await t.throwsAsync(client.send({ url: '/readyz' }), { instanceOf: Unanswered, message })
})

test('Retry-After is waited for, in seconds and as a date, after a 429 and a 503', async (t) => {
  const date = (seconds: number): string => new Date(Date.UTC(2026, 10, 1) + seconds * 1000).toUTCString()
  const headers = [
    { status: 429, headers: { 'retry-after': '1' } },
    { status: 503, headers: { 'retry-after': date(1), date: date(0) } },
  ]
  const { origin, asked } = await startFakePlatform(t, {
    'GET /limited': (_request, response) => {
      const next = headers.shift()
      response.writeHead(next?.status ?? 200, next?.headers).end('{}')
    },
  })
  const { client, said } = clientOf(t, origin)
  const { status } = await client.send({ url: '/limited' })
  const wait = 'GET /limited is limited: waiting 1 s, as Retry-After says.'
  t.deepEqual({ status, asked, said }, { status: 200, asked: Array(3).fill('GET /limited'), said: [wait, wait] })
})

test('a Retry-After that is too long is named, and the row is not tried', async (t) => {
  const { origin } = await startFakePlatform(t, {
    'GET /limited': { status: 429, headers: { 'retry-after': '86400' } },
  })
  const { client } = clientOf(t, origin)
  t.is((await client.send({ url: '/limited', takesLimits: true })).status, 429)
  const message = 'GET /limited answered 429 with a Retry-After of 86400 s, and the check waits 65 s at most.'
  await t.throwsAsync(client.send({ url: '/limited' }), { instanceOf: Untried, message })
})

test('what does not ask us to wait is an answer', (t) => {
  const wait = (status: number, retryAfter?: string, json = {}) =>
    secondsToWait({ status, headers: new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter }), json })
  t.is(wait(429, '2'), 2)
  t.is(wait(429), undefined)
  t.is(wait(429, 'soon'), undefined)
  t.is(wait(429, 'Sun, 01 Nov 2020 00:00:00 GMT'), undefined)
  t.is(wait(200, '2'), undefined)
  t.is(wait(503, '2', { code: 'SITE_UNAVAILABLE' }), undefined)
})
