// @promise addresses
import test, { type ExecutionContext } from 'ava'
import { lookup as systemLookup } from 'node:dns'
import type { RequestListener, ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Lookup } from '../../../src/safe-fetch/checked-lookup.ts'
import {
  createSafeFetch,
  SafeFetchError,
  type SafeFetchOptions,
  type SafeFetchReason,
  type SafeRequest,
} from '../../../src/safe-fetch/safe-fetch.ts'
import { startHttpsSite, temporaryCertificates } from '../../helpers/https-server.ts'

const mebibyte = 1024 * 1024

/** A safe fetch that is closed with the test; trusts the test's authority. */
async function open(t: ExecutionContext, options: Partial<SafeFetchOptions>) {
  const { caFile } = await temporaryCertificates()
  const defaults = { allow: [], loopback: true, caFile, baseUrl: 'https://switchyard.example', version: '1.2.3' }
  const safeFetch = createSafeFetch({ ...defaults, ...options })
  t.teardown(safeFetch.close)
  return safeFetch
}

/**
 * A site that answers so, and a function that asks it, with its address allowed. Not the system's resolver: it has
 * two threads for all tests, and time limits are tested here.
 */
async function openSite(t: ExecutionContext, handler: RequestListener, options: Partial<SafeFetchOptions> = {}) {
  const site = await startHttpsSite(t, handler)
  const allow = [`localhost:${site.port}`, `shop.example:${site.port}`]
  const safeFetch = await open(t, { allow, lookup: always('127.0.0.1'), ...options })
  const ask = (request: Partial<SafeRequest> = {}) => safeFetch.fetch({ url: `${site.origin}/`, ...limits, ...request })
  return { ...site, ask, close: safeFetch.close }
}

/** Generous limits, for requests that are about something else. */
const limits = { method: 'GET', timeoutMs: 10_000, maxBytes: 1000 } as const

/** Asserts that the answer is a SafeFetchError, and returns what callers read of it. */
async function failureOf(t: ExecutionContext, answer: Promise<unknown>) {
  const error = await t.throwsAsync(answer, { instanceOf: SafeFetchError })
  return { reason: error?.reason, maybeSent: error?.maybeSent }
}

/** A resolver that gives every name these addresses. */
const always =
  (...addresses: string[]): Lookup =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

// What is measured in time or memory is serial: ava runs those first, one by one.

// What a site sees and what comes back

test('a POST arrives with its headers, its body and our user agent', async (t) => {
  const seen: unknown[] = []
  const { ask } = await openSite(t, (request, response) => {
    const { 'user-agent': agent, authorization, cookie, 'content-type': type, connection } = request.headers
    seen.push({ method: request.method, agent, authorization, cookie, type, connection })
    response.writeHead(201, { 'x-answer': 'yes' })
    request.pipe(response)
  })
  const headers = { authorization: 'Bearer a', 'content-type': 'application/json', cookie: 'a=b', 'User-Agent': 'me' }
  const answer = await ask({ method: 'POST', headers, body: '{"a":"ü"}' })
  t.is(answer.status, 201)
  t.is(answer.headers.get('x-answer'), 'yes')
  t.is(text(answer.body), '{"a":"ü"}')
  t.deepEqual(seen[0], {
    method: 'POST',
    agent: 'Switchyard/1.2.3 (+https://switchyard.example)',
    authorization: 'Bearer a',
    cookie: undefined,
    type: 'application/json',
    connection: 'close',
  })
})

test('a status without a body is an answer, and not an error', async (t) => {
  for (const status of [204, 304, 429]) {
    const { ask } = await openSite(t, (_request, response) => response.writeHead(status, { 'retry-after': '7' }).end())
    const answer = await ask()
    t.deepEqual([answer.status, answer.headers.get('retry-after'), answer.body.length], [status, '7', 0])
  }
})

test('answers come back unpacked, and their cookies are not sent with the next request', async (t) => {
  const cookies: unknown[] = []
  const { ask } = await openSite(t, (request, response) => {
    cookies.push(request.headers.cookie)
    response.writeHead(200, { 'set-cookie': 'a=b', 'content-encoding': 'gzip' }).end(gzipSync('{"ok":true}'))
  })
  t.is(text((await ask()).body), '{"ok":true}')
  await ask()
  t.deepEqual(cookies, [undefined, undefined])
})

// Addresses

/** One of each kind that is told apart; which addresses are private is tested where they are judged. */
const privateHosts = '127.0.0.1 [::1] 0x7f.1 [::ffff:a9fe:a9fe] 10.0.0.1 169.254.169.254 a.localhost'.split(' ')
/** Names that resolve to something private; the resolver of the test says so for all of them. */
const names = ['metadata.google.internal', 'postgres']

test('no connection is made to a private host, nor to a name of one', async (t) => {
  const site = await startHttpsSite(t, (_request, response) => response.end())
  const { fetch } = await open(t, { lookup: always('127.0.0.1') })
  for (const host of [...privateHosts, ...names]) {
    const answer = fetch({ url: `https://${host}:${site.port}/`, ...limits })
    const reason = names.includes(host) ? 'refused-name' : 'refused-address'
    t.deepEqual(await failureOf(t, answer), { reason, maybeSent: false }, host)
  }
  t.is(site.connections(), 0)
})

const confusing = (port: number) => [
  `https://localhost%2e:${port}/`,
  `https://good@127.0.0.1:${port}/`,
  `https://good\\@127.0.0.1:${port}`,
  `//127.0.0.1:${port}`,
  `https://127.0.\t0.1:${port}/`,
  `http://127.0.0.1:${port}/`,
  'file:///etc/passwd',
  'https://127.0.0.1:5432/',
]

test('addresses that parsers read differently are refused before anything is looked up', async (t) => {
  const site = await startHttpsSite(t, (_request, response) => response.end())
  const { fetch } = await open(t, { allow: [`127.0.0.1:${site.port}`], lookup: () => t.fail('looked up') })
  for (const url of confusing(site.port)) {
    t.deepEqual(await failureOf(t, fetch({ url, ...limits })), { reason: 'invalid-url', maybeSent: false }, url)
  }
  t.is(site.connections(), 0)
})

test('a name is resolved once for each request, so that what was judged is what is connected to', async (t) => {
  let lookups = 0
  const lookup: Lookup = (hostname, options, callback) => {
    lookups += 1
    systemLookup(hostname, options, callback)
  }
  const site = await openSite(t, (_request, response) => response.end(), { lookup })
  await site.ask()
  t.is(lookups, 1)
  await site.ask()
  t.is(lookups, 2)
  t.is(site.connections(), 2)
})

test('an exemption is for one host and port, and not from HTTPS', async (t) => {
  const site = await openSite(t, (_request, response) => response.end())
  const other = await startHttpsSite(t, (_request, response) => response.end())
  t.is((await site.ask()).status, 200)
  t.is((await failureOf(t, site.ask({ url: `https://127.0.0.1:${site.port}/` }))).reason, 'refused-address')
  t.is((await failureOf(t, site.ask({ url: other.origin }))).reason, 'refused-address')
  t.is((await failureOf(t, site.ask({ url: `http://localhost:${site.port}/` }))).reason, 'invalid-url')
  t.is(other.connections(), 0)
})

test('a resolver that fails, answers nothing or answers too late is a failed lookup, and its answer is not used', async (t) => {
  let answerLate = (): void => undefined
  const failing: Lookup = (_hostname, _options, callback) =>
    callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
  const late: Lookup = (hostname, options, callback) => {
    answerLate = () => always('127.0.0.1')(hostname, options, callback)
  }
  for (const lookup of [failing, always(), late]) {
    const site = await openSite(t, (_request, response) => response.end(), { lookup })
    t.deepEqual(await failureOf(t, site.ask({ timeoutMs: 100 })), { reason: 'dns', maybeSent: false })
    answerLate()
    await new Promise((resolve) => setImmediate(resolve))
    t.is(site.connections(), 0)
  }
})

// Connections

test('a port where nobody listens cannot be connected to, and nothing was sent', async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  const { fetch } = await open(t, { allow: [`127.0.0.1:${port}`] })
  const answer = fetch({ url: `https://127.0.0.1:${port}/`, ...limits })
  const error = await t.throwsAsync(answer, { instanceOf: SafeFetchError })
  t.like(error, { reason: 'connect', maybeSent: false, code: 'ECONNREFUSED' })
})

test('a certificate of an unknown authority, or for another host, is refused before anything is sent', async (t) => {
  const unknown = await openSite(t, (_request, response) => response.end(), { caFile: undefined })
  t.deepEqual(await failureOf(t, unknown.ask()), { reason: 'tls', maybeSent: false })
  const site = await openSite(t, (_request, response) => response.end())
  const failure = await failureOf(t, site.ask({ url: `https://shop.example:${site.port}/` }))
  t.deepEqual(failure, { reason: 'tls', maybeSent: false })
  t.is(unknown.requests() + site.requests(), 0)
})

/** A server that is no HTTPS server: it does this with each connection. */
async function rawSite(t: ExecutionContext, onData: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => onData(socket))
    t.teardown(() => socket.destroy())
  })
  t.teardown(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const { fetch } = await open(t, { allow: [`127.0.0.1:${port}`] })
  return (timeoutMs: number) => fetch({ url: `https://127.0.0.1:${port}/`, ...limits, timeoutMs })
}

test('a server that does not speak TLS, or hangs up during the handshake, was sent nothing', async (t) => {
  const speaking = await rawSite(t, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  t.deepEqual(await failureOf(t, speaking(10_000)), { reason: 'tls', maybeSent: false })
  const hangingUp = await rawSite(t, (socket) => socket.destroy())
  t.deepEqual(await failureOf(t, hangingUp(10_000)), { reason: 'connect', maybeSent: false })
})

test.serial('a handshake that never ends is ended by the time limit, and its socket with it', async (t) => {
  const closed = Promise.withResolvers<boolean>()
  const ask = await rawSite(t, (socket) => socket.once('close', () => closed.resolve(true)))
  t.deepEqual(await failureOf(t, ask(500)), { reason: 'timeout', maybeSent: false })
  t.true(await closed.promise)
})

// Answers that attack

test('a redirect is not followed, wherever it leads, and shown only if that is asked for', async (t) => {
  const target = await startHttpsSite(t, (_request, response) => response.end())
  const site = await startHttpsSite(t, (request, response) => {
    const { 'x-status': status, 'x-location': location } = request.headers
    response.writeHead(Number(status), { location: String(location) }).end()
  })
  const { fetch } = await open(t, { allow: [`localhost:${site.port}`, `localhost:${target.port}`] })
  const redirected = (status: string, location: string, more: Partial<SafeRequest> = {}) =>
    fetch({ url: site.origin, ...limits, headers: { 'x-status': status, 'x-location': location }, ...more })
  for (const status of ['301', '307'])
    for (const location of [target.origin, '/elsewhere', 'file:///etc/passwd'])
      t.deepEqual(await failureOf(t, redirected(status, location)), { reason: 'redirect', maybeSent: true }, location)
  const location = `${target.origin}/elsewhere?code=1`
  const shown = await redirected('303', location, { showRedirect: true })
  t.deepEqual([shown.status, shown.headers.get('location')], [303, location])
  t.deepEqual([site.requests(), target.connections()], [7, 0])
})

test('a body of exactly the limit passes, one byte more does not', async (t) => {
  for (const chunked of [true, false]) {
    const { ask } = await openSite(t, (request, response) => {
      const body = Buffer.alloc(Number(request.headers['x-size']), 'a')
      if (!chunked) response.setHeader('content-length', body.length)
      response.write(body)
      response.end()
    })
    t.is((await ask({ headers: { 'x-size': '1000' } })).body.length, 1000)
    t.is((await failureOf(t, ask({ headers: { 'x-size': '1001' } }))).reason, 'too-large')
  }
})

for (const [encoding, pack] of [
  ['gzip', gzipSync],
  ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
] as const) {
  test.serial(`a ${encoding} bomb is cut off at the limit, counted unpacked`, async (t) => {
    const bomb = pack(Buffer.alloc(64 * mebibyte))
    t.true(bomb.length < mebibyte)
    const { ask } = await openSite(t, (_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding, 'content-length': bomb.length }).end(bomb),
    )
    const before = process.memoryUsage().rss
    t.deepEqual(await failureOf(t, ask({ maxBytes: mebibyte })), { reason: 'too-large', maybeSent: true })
    t.true(process.memoryUsage().rss - before < 32 * mebibyte)
  })
}

for (const [kind, start] of [
  ['no answer at all', () => undefined],
  ['headers and no body', (response: ServerResponse) => response.flushHeaders()],
  ['a body that never ends', (response: ServerResponse) => response.write('a')],
] as const) {
  test.serial(`the time limit covers ${kind}`, async (t) => {
    const { ask } = await openSite(t, (_request, response) => void start(response))
    t.deepEqual(await failureOf(t, ask({ timeoutMs: 300 })), { reason: 'timeout', maybeSent: true })
  })
}

/** What a site sends before it says nothing more, or ends the connection. */
const answers: [reason: SafeFetchReason, bytes: string][] = [
  ['too-large', 'HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n'],
  ['too-large', `HTTP/1.1 200 OK\r\nX-One: ${'a'.repeat(17 * 1024)}\r\n\r\n`],
  ['too-large', `HTTP/1.1 200 OK\r\n${`X-Many: ${'a'.repeat(50)}\r\n`.repeat(400)}\r\n`],
  ['reset', ''],
  ['reset', 'HTTP/1.'],
  ['reset', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['reset', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ['reset', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'],
  ['reset', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
]

test('of a request whose answer is too large or breaks off it is known that it may have been acted on', async (t) => {
  let [reason, bytes] = answers[0]!
  const { ask } = await openSite(t, ({ socket }) => void (reason === 'reset' ? socket.end(bytes) : socket.write(bytes)))
  for ([reason, bytes] of answers) {
    const failure = await failureOf(t, ask({ method: 'POST', body: '{}' }))
    t.deepEqual(failure, { reason, maybeSent: true }, bytes.slice(0, 60))
  }
})

test('a body that is not compressed as it says is read by nobody, but its status is known', async (t) => {
  for (const encoding of ['gzip', 'br']) {
    const { ask } = await openSite(t, (_request, response) => {
      response.writeHead(201, { 'content-encoding': encoding, 'content-length': '11' }).end('garbage 123')
    })
    const error = await t.throwsAsync(ask({ method: 'POST', body: '{}' }), { instanceOf: SafeFetchError })
    t.like(error, { reason: 'encoding', maybeSent: true, status: 201 })
  }
})

// Giving up

test('a signal ends a request that waits for its answer, and the connection; later requests send nothing', async (t) => {
  const abort = new AbortController()
  const closed = Promise.withResolvers<boolean>()
  const site = await openSite(t, (request) => {
    request.socket.once('close', () => closed.resolve(true))
    abort.abort(new Error('told to stop'))
  })
  t.deepEqual(await failureOf(t, site.ask({ signal: abort.signal })), { reason: 'aborted', maybeSent: true })
  t.true(await closed.promise)
  t.deepEqual(await failureOf(t, site.ask({ signal: abort.signal })), { reason: 'aborted', maybeSent: false })
  t.is(site.connections(), 1)
})

test('closing aborts what is under way, and later requests send nothing', async (t) => {
  const arrived = Promise.withResolvers<void>()
  const site = await openSite(t, () => arrived.resolve())
  const answer = failureOf(t, site.ask())
  await arrived.promise
  await site.close()
  t.deepEqual(await answer, { reason: 'aborted', maybeSent: true })
  t.deepEqual(await failureOf(t, site.ask()), { reason: 'aborted', maybeSent: false })
  t.is(site.connections(), 1)
})

// What errors say

test('errors name the host and hold neither query, header nor body', async (t) => {
  const secret = 'hunter2'
  const { ask, origin } = await openSite(t, (request) => request.socket.end(`HTTP/1.1 abc ${secret}\r\n\r\n`))
  const request = { method: 'POST', headers: { authorization: secret }, body: secret } as const
  const url = `${origin}/${secret}?key=${secret}`
  const headers = { authorization: `${secret}\n` }
  const invalid = `https://user:${secret}@shop.example/`
  for (const sent of [{ ...request, url }, { ...request, url, timeoutMs: 1 }, { headers }, { url: invalid }]) {
    const error = await t.throwsAsync(ask(sent), { instanceOf: SafeFetchError })
    t.false([error?.message, error?.stack, JSON.stringify(error), String(error?.cause)].join().includes(secret))
  }
  const error = await t.throwsAsync(ask())
  t.true(error?.message.includes('localhost'))
})

test.serial('the time limit holds although the garbage collector runs while an answer is read', async (t) => {
  const { ask } = await openSite(t, (_request, response) => {
    const dripping = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(dripping)).writeHead(200)
  })
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const collecting = setInterval(() => collect(), 100)
  t.teardown(() => clearInterval(collecting))
  const answers = Array.from({ length: 3 }, () => failureOf(t, ask({ timeoutMs: 1500, maxBytes: 1_000_000 })))
  for (const failure of await Promise.all(answers)) t.deepEqual(failure, { reason: 'timeout', maybeSent: true })
})
