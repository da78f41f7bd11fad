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

test('an answer that never ends is given up when its time is over, and one that grows without end, too', async (t) => {
  const block = Buffer.alloc(1024 * 1024, 'a')
  const { origin } = await startFakePlatform(t, {
    'GET /silent': (_request, response) => void response.writeHead(200).write('{'),
    'GET /growing': (_request, response) => {
      response.on('drain', () => void response.write(block)).writeHead(200)
      while (response.write(block));
    },
  })
  const { client } = clientOf(t, origin)
  for (const [url, seconds, why] of [
    ['/silent', 0.3, 'it took longer than 0.3 s.'],
    ['/growing', 60, 'its body is too long.'],
  ] as const) {
    const message = `GET ${url} was not answered: ${why}`
    await t.throwsAsync(client.send({ url }, { seconds }), { instanceOf: Unanswered, message })
  }
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
  // The settings with which a server of HTTP/2 begins, as one of gRPC does: for them the parser gives no code.
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
  const server = createServer((socket) => void socket.on('error', () => undefined).write(settings))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const other = `127.0.0.1:${(server.address() as AddressInfo).port}`
  t.is(await why(`http://${other}`), `what came is not HTTP; perhaps it is https://${other}.`)
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

test('a Retry-After that is too long is named, and the row is not tried; what does not ask to wait is an answer', async (t) => {
  const { origin } = await startFakePlatform(t, {
    'GET /limited': { status: 429, headers: { 'retry-after': '86400' } },
  })
  const { client } = clientOf(t, origin)
  t.is((await client.send({ url: '/limited', takesLimits: true })).status, 429)
  const message = 'GET /limited answered 429 with a Retry-After of 86400 s, and the check waits 65 s at most.'
  await t.throwsAsync(client.send({ url: '/limited' }), { instanceOf: Untried, message })
  for (const [seconds, status, retryAfter, json] of [
    [2, 429, '2', {}],
    [undefined, 429, undefined, {}],
    [undefined, 429, 'soon', {}],
    [undefined, 429, 'Sun, 01 Nov 2020 00:00:00 GMT', {}],
    [undefined, 200, '2', {}],
    [undefined, 503, '2', { code: 'SITE_UNAVAILABLE' }],
  ] as const) {
    const headers = new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter })
    t.is(secondsToWait({ status, headers, json }), seconds, `${status} ${retryAfter}`)
  }
})
