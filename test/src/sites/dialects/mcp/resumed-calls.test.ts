import type { IncomingMessage, ServerResponse } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import type { SafeStream } from '../../../../../src/safe-fetch/safe-fetch.ts'
import { SafeFetchError } from '../../../../../src/safe-fetch/safe-fetch-error.ts'
import { unlessStoodStill } from '../../../../../src/safe-fetch/standstill.ts'
import { resumption } from '../../../../../src/sites/dialects/mcp/resumed-stream.ts'
import { statusAfter } from '../../../../../src/tools/tool-call.ts'
import { startMcpServer, type Era, type Received } from '../../../../helpers/mcp-server.ts'
import { briefStandstill } from '../../../../helpers/standstill.ts'
import { openDialect, shareThreads } from './dialect.ts'

shareThreads(test)

/** A part of a response: what the server writes, and how it ends, or the status with which it refuses. */
type Part = { events: string; breaks?: boolean } | { status: number }

const priming = (id: string, retry = 0) => ({ events: `id: ${id}\nretry: ${retry}\ndata: \n\n` })
const answer = 'data: {"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"Done."}]}}\n\n'
const refusal = 'data: {"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"Wrong."}}\n\n'
const breaking = (part: { events: string }) => ({ ...part, breaks: true })

/** A server whose response to a call arrives in parts. The last of them is sent as often as it is asked for. */
async function open(
  t: ExecutionContext,
  parts: Part[],
  { era = 'sessions', ...limits }: { era?: Era; timeoutSeconds?: number; resultBytes?: number } = {},
) {
  const server = await startMcpServer(t, { era })
  const { call } = await openDialect(t, limits)
  const resumed: { at: number; headers: IncomingMessage['headers'] }[] = []
  let [sent, id, endedAt] = [0, '', 0]
  server.instead = ({ http, method, ...received }: Received, request, response) => {
    if (method !== 'tools/call' && http !== 'GET') return false
    if (method === 'tools/call') id = JSON.stringify(received.id)
    else resumed.push({ at: performance.now() - endedAt, headers: request.headers })
    send(response, parts[Math.min(sent, parts.length - 1)] as Part, id)
    sent += 1
    endedAt = performance.now()
    return true
  }
  const use = () => call(server.url, 'count', { token: 'a-token' })
  return { server, use, resumed }
}

function send(response: ServerResponse, part: Part, id: string): void {
  if ('status' in part) return void response.writeHead(part.status).end()
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  response.write(part.events.replaceAll('ID', id), () => {
    if (part.breaks) response.destroy()
    else response.end()
  })
}

const inDoubt = { kind: 'unavailable', certain: false }

test('a response that ends or breaks before the answer is asked for again in its session, when the server says', async (t) => {
  const { server, use, resumed } = await open(t, [
    priming('one', 300),
    breaking(priming('two')),
    { status: 503 },
    { events: answer },
  ])
  t.like(await use(), { kind: 'succeeded', text: '{"content":[{"type":"text","text":"Done."}]}' })
  t.is(server.calls().length, 1, 'the call itself is not repeated')
  t.deepEqual(
    resumed.map(({ headers }) => headers['last-event-id']),
    ['one', 'two', 'two'],
  )
  const [first] = resumed
  t.like(first?.headers, {
    accept: 'text/event-stream',
    authorization: 'Bearer a-token',
    'mcp-session-id': server.calls()[0]?.session,
  })
  t.true((first?.at ?? 0) >= 295, 'the pause is the one that the server asked for')
})

const lost: Record<string, [parts: Part[], requests: number]> = {
  'without an id': [[{ events: 'data: \n\n' }], 0],
  'with an id that no header can have': [[priming('é')], 0],
  'of a server that takes no GET': [[priming('one'), { status: 405 }], 1],
  'of a server that wants another token': [[breaking(priming('one')), { status: 401 }], 1],
  'of a server that has forgotten the session': [[priming('one'), { status: 404 }], 1],
  'whose rest is only promised': [[priming('one')], 10],
  'whose rest comes after the time of the call': [[priming('one', 60_000)], 0],
}

for (const [what, [parts, requests]] of Object.entries(lost))
  test(`the call of a response ${what} is in doubt, and is not repeated`, async (t) => {
    const { server, use, resumed } = await open(t, parts)
    const outcome = await use()
    t.like(outcome, inDoubt)
    t.is(statusAfter({ effect: 'once' }, outcome), 'unknown')
    t.deepEqual([server.calls().length, resumed.length], [1, requests])
  })

test('an error that comes with the rest of a response does not say that nothing was done', async (t) => {
  const { use } = await open(t, [priming('one'), { events: refusal }])
  t.like(await use(), { kind: 'broken', certain: false })
  const { use: useAtOnce } = await open(t, [{ events: priming('one').events + refusal }])
  t.like(await useAtOnce(), { kind: 'rejected' })
})

test('the parts of a response are together as large, and take as long, as a whole one may', async (t) => {
  const large = { events: `id: one\nretry: 0\ndata: ${'x'.repeat(600)}\n\n` }
  const { use, resumed } = await open(t, [large], { resultBytes: 1000 })
  t.like(await use(), { ...inDoubt, kind: 'broken' })
  t.is(resumed.length, 1)
  const { use: useLate } = await open(t, [priming('one', 700)], { timeoutSeconds: 2 })
  const since = performance.now()
  t.like(await useLate(), inDoubt)
  t.true(performance.now() - since < 2500)
})

test('a response of a revision without sessions is not asked for again', async (t) => {
  const { use, resumed } = await open(t, [priming('one')], { era: 'current' })
  t.like(await use(), inDoubt)
  t.is(resumed.length, 0)
})

test('the rest of a response is asked for even if the process stood still: that sends no call', async (t) => {
  const { maySend, standStill } = briefStandstill(t)
  const sent: boolean[] = []
  const stream: SafeStream = async () => {
    sent.push(maySend())
    throw new SafeFetchError('connect', { maybeSent: false })
  }
  const attempt = { signal: new AbortController().signal, endsAt: performance.now() + 60_000, results: [] }
  const resume = resumption({ stream, url: 'https://shop.example', headers: {}, maxBytes: 1000, attempt })
  await unlessStoodStill(performance.now(), async () => {
    standStill()
    t.false(maySend())
    t.is(await resume({ eventId: 'one', retryMs: 0, bytes: 0 }), undefined)
  })
  t.true(sent.length > 0)
  t.true(sent.every(Boolean))
})
