import type { RequestListener, ServerResponse } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { gzipSync } from 'node:zlib'
import { createSafeFetch, SafeFetchError, type StreamRequest } from '../../../src/safe-fetch/safe-fetch.ts'
import { eventually } from '../../helpers/eventually.ts'
import { startHttpsSite, temporaryCertificates } from '../../helpers/https-server.ts'

/** A site that answers so, and a function that streams its answer. */
async function open(t: ExecutionContext, handler: RequestListener) {
  const site = await startHttpsSite(t, handler)
  const { caFile } = await temporaryCertificates()
  const allow = [`localhost:${site.port}`]
  const safeFetch = createSafeFetch({ allow, loopback: true, caFile, baseUrl: 'http://127.0.0.1', version: '0' })
  t.teardown(safeFetch.close)
  const stream = (request: Partial<StreamRequest> = {}) =>
    safeFetch.stream({ url: `${site.origin}/`, method: 'GET', timeoutMs: 10_000, maxBytes: 1000, ...request })
  return { site, stream, close: safeFetch.close }
}

test('a body is read while it arrives', async (t) => {
  let write = (_text: string): void => {}
  const { stream } = await open(t, (_request, response) => {
    write = (text) => void response.write(text)
    response.writeHead(200, { 'X-Here': 'yes' }).flushHeaders()
  })
  const { status, headers, body } = await stream()
  t.deepEqual([status, headers.get('x-here')], [200, 'yes'])
  const reader = body.getReader()
  for (const text of ['one', 'two']) {
    write(text)
    t.is(Buffer.from((await reader.read()).value ?? []).toString(), text)
  }
})

/** Bodies that end with an error, and its reason. */
const failing: [reason: string, answer: (response: ServerResponse) => void, request?: Partial<StreamRequest>][] = [
  ['too-large', (response) => void response.end('x'.repeat(1001))],
  [
    'too-large',
    (response) => void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('x'.repeat(100_000))),
  ],
  ['encoding', (response) => void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('no gzip')],
  ['reset', (response) => void response.write('begun', () => response.destroy())],
  ['timeout', (response) => void response.write('begun'), { timeoutMs: 500 }],
]

test('a body that breaks the limits ends with the reason, which the caller gets too', async (t) => {
  for (const [reason, answer, request] of failing) {
    const { stream } = await open(t, (_request, response) => answer(response))
    const failures: SafeFetchError[] = []
    const { body } = await stream({ ...request, onFailure: (error) => void failures.push(error) })
    const error = await t.throwsAsync(new Response(body).text(), { instanceOf: SafeFetchError })
    t.deepEqual([error?.reason, error?.maybeSent], [reason, true] as never)
    t.deepEqual(failures, [error], reason)
  }
})

test('a body ends when its reader stops, when it is aborted, and when all is closed', async (t) => {
  const written = new Set<ServerResponse>()
  const { stream, close } = await open(t, (_request, response) => {
    written.add(response)
    response.on('close', () => written.delete(response))
    response.write('begun')
  })
  const gone = () => eventually(10, 'the connection is closed', () => written.size === 0 || undefined)
  await (await stream()).body.cancel()
  await gone()
  const abort = new AbortController()
  const aborted = await stream({ signal: abort.signal })
  abort.abort()
  const error = await t.throwsAsync(new Response(aborted.body).text(), { instanceOf: SafeFetchError })
  t.is(error?.reason, 'aborted')
  await gone()
  const closed = await stream()
  await close()
  await t.throwsAsync(new Response(closed.body).text(), { instanceOf: SafeFetchError })
  t.true(await gone())
})

test('a redirect is an error before its body', async (t) => {
  const { stream } = await open(t, (_request, response) => response.writeHead(307, { Location: '/login' }).end())
  const error = await t.throwsAsync(stream({ method: 'DELETE' }), { instanceOf: SafeFetchError })
  t.is(error?.reason, 'redirect')
})
