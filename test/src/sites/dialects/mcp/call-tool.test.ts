import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import test from 'ava'
import { z } from 'zod'
import { unreadResult } from '../../../../../src/tools/unread-result.ts'
import { statusAfter } from '../../../../../src/tools/tool-call.ts'
import { refuse, startMcpServer, type Era, type Received } from '../../../../helpers/mcp-server.ts'
import { openDialect, shareThreads } from './dialect.ts'

shareThreads(test)

const eras: Era[] = ['current', 'sessions']

const stream = { 'Content-Type': 'text/event-stream' }
const json = { 'Content-Type': 'application/json' }
const progress = `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}\n\n`
const unused = 'https://127.0.0.1:64999/mcp'

for (const era of eras) {
  test(`a tool of a server of the protocol ${era} is called, and models see one form of its result`, async (t) => {
    const server = await startMcpServer(t, { era })
    const { call } = await openDialect(t)
    t.deepEqual(await call(server.url, 'add', { arguments: '{"a":1,"b":2}' }), {
      kind: 'succeeded',
      httpStatus: 200,
      text: '{"sum":3}',
    })
    t.like(await call(server.url, 'say', { arguments: '{"text":"Hello."}' }), {
      kind: 'succeeded',
      text: '{"content":[{"type":"text","text":"Hello."}]}',
    })
    t.deepEqual(await call(server.url, 'fail'), {
      kind: 'rejected',
      httpStatus: 200,
      certain: false,
      text: 'The tool reported an error. The site says: "It is broken."',
    })
    t.like(await call(server.url, 'unknown'), { kind: 'rejected' })
  })

  test(`the token goes with every request to a server of the protocol ${era}, and no outcome quotes it`, async (t) => {
    const token = 'the-token-of-the-owner'
    const server = await startMcpServer(t, { era, token })
    const { call } = await openDialect(t)
    const said = JSON.stringify({ text: `You sent ${token}.` })
    const outcome = await call(server.url, 'say', { token, arguments: said })
    t.is(outcome.text, '{"content":[{"type":"text","text":"You sent [token]."}]}')
    t.deepEqual([...new Set(server.received.map(({ authorization }) => authorization))], [`Bearer ${token}`])
    const wrong = await call(server.url, 'say', { token: 'a-token-of-before', generation: 0, arguments: said })
    t.like(wrong, { kind: 'refused', httpStatus: 401, certain: true })
    t.is(server.calls().length, 1)
  })
}

test('calls share a session, in which no request has the id of another', async (t) => {
  const server = await startMcpServer(t, { era: 'sessions' })
  const { call } = await openDialect(t)
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => call(server.url, 'count')))
  t.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['succeeded']))
  t.is(server.handshakes().length, 1)
  const ids = [...server.handshakes(), ...server.calls()].map(({ id }) => id)
  t.is(new Set(ids).size, 21)
  await call(server.url, 'count', { generation: 2 })
  t.is(server.handshakes().length, 2, 'a new token means a new session')
})

test('a call whose session the server has forgotten is made in a new one, once', async (t) => {
  const server = await startMcpServer(t, { era: 'sessions' })
  const { call } = await openDialect(t)
  await call(server.url, 'count')
  server.forgetSessions()
  t.like(await call(server.url, 'count'), { kind: 'succeeded' })
  t.is(server.counted, 2)
  t.deepEqual([server.handshakes().length, server.calls().length], [2, 3])

  const forgetful = (received: Received, _request: unknown, response: ServerResponse) => {
    if (received.method !== 'tools/call') return false
    refuse(response, 400, 'Bad Request: No valid session ID provided')
    return true
  }
  server.instead = forgetful
  t.like(await call(server.url, 'count'), { kind: 'rejected', httpStatus: 400, certain: false })
  t.deepEqual([server.counted, server.calls().length], [2, 5], 'it is repeated once')
  t.like(await call(server.url, 'count'), { kind: 'rejected', httpStatus: 400 })
  t.is(server.calls().length, 6, 'a session that was opened for the call is not forgotten')
})

// Each of these servers may have executed the call.
for (const [status, code, message] of [
  [404, -32_603, 'Charged the card; receipt address not found'],
  [404, -32_000, 'Session of the customer not found'],
  [400, -32_000, 'Checkout session expired after the card was charged'],
  [400, -32_603, 'Session not found'],
] as const)
  test(`an error of a tool is not one about the session: ${status} ${code} ${message}`, async (t) => {
    const server = await startMcpServer(t, { era: 'sessions' })
    const { call } = await openDialect(t)
    await call(server.url, 'count')
    server.instead = ({ method, id }, _request, response) => {
      if (method !== 'tools/call') return false
      response.writeHead(status, json).end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))
      return true
    }
    t.like(await call(server.url, 'count'), { kind: 'rejected', httpStatus: status, certain: false })
    t.is(server.calls().length, 2)
  })

test('a server that has sent other messages has begun, whatever error it ends with', async (t) => {
  const server = await startMcpServer(t, { era: 'sessions' })
  const { call } = await openDialect(t)
  const failWith = (before: string) => {
    server.instead = ({ method, id }, _request, response) => {
      if (method !== 'tools/call') return false
      const error = { code: -32_602, message: 'Invalid arguments' }
      response.writeHead(200, stream).end(`${before}data: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`)
      return true
    }
  }
  failWith('')
  t.like(await call(server.url, 'count'), { kind: 'rejected' })
  failWith(progress)
  t.like(await call(server.url, 'count'), { kind: 'broken', certain: false })
})

test('a refusal that is not about the session is not repeated', async (t) => {
  const server = await startMcpServer(t, { era: 'sessions' })
  const { call } = await openDialect(t)
  server.instead = ({ method }, _request, response) =>
    method === 'tools/call' && !!refuse(response, 400, 'Bad arguments')
  const outcome = await call(server.url, 'count')
  t.like(outcome, { kind: 'rejected', httpStatus: 400 })
  t.true(outcome.text.includes('Bad arguments'))
  t.is(server.calls().length, 1)
})

const resultOf = (id: unknown, text = 'Done.') =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [{ type: 'text', text }] } })

/** Ways in which an answer to a call fails to arrive, although the server may have done it. */
const unanswered: [name: string, answer: (response: ServerResponse, received: Received) => void][] = [
  ['the connection breaks before the answer', (response) => void response.destroy()],
  [
    'the connection breaks in a stream',
    (response) => void response.writeHead(200, stream).write(progress, () => response.destroy()),
  ],
  ['the stream ends', (response) => void response.writeHead(200, stream).end(progress)],
  [
    'the stream answers another request',
    (response) => void response.writeHead(200, stream).end(`data: ${resultOf(4711)}\n\n`),
  ],
  ['the stream is no JSON', (response) => void response.writeHead(200, stream).end(`data: {"jsonrpc"\n\n`)],
  ['it is acknowledged', (response) => void response.writeHead(202).end()],
  ['it is acknowledged with a stream', (response) => response.writeHead(202, stream).flushHeaders()],
  [
    'JSON is cut',
    (response, { id }) =>
      void response
        .writeHead(200, { ...json, 'Content-Length': 500 })
        .write(resultOf(id).slice(0, 20), () => response.destroy()),
  ],
  ['JSON answers another request', (response) => void response.writeHead(200, json).end(resultOf(4711))],
  ['JSON is an empty list', (response) => void response.writeHead(200, json).end('[]')],
  ['it is a page', (response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>')],
  ['it is a redirect', (response) => void response.writeHead(303, { Location: '/login' }).end()],
  ['it is a redirect to a page for people', (response) => void response.writeHead(307, { Location: '/login' }).end()],
  [
    'JSON is too large',
    (response, { id }) => void response.writeHead(200, json).end(resultOf(id, 'x'.repeat(100_000))),
  ],
  ['the stream is too large', (response) => void response.writeHead(200, stream).end(progress.repeat(2000))],
  ['the server failed', (response) => void response.writeHead(500).end()],
  [
    'the server failed inside',
    (response, { id }) =>
      void response
        .writeHead(200, json)
        .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'Oh.' } })),
  ],
]

for (const era of eras)
  for (const [name, answer] of unanswered)
    test(`a call that must run once is in doubt at once if ${name} (${era})`, async (t) => {
      const server = await startMcpServer(t, { era })
      const { call } = await openDialect(t)
      server.instead = (received, _request, response) => {
        if (received.method !== 'tools/call') return false
        answer(response, received)
        return true
      }
      const from = performance.now()
      const outcome = await call(server.url, 'count')
      t.is(statusAfter({ effect: 'once' }, outcome), 'unknown', JSON.stringify(outcome))
      t.true(performance.now() - from < 15_000, 'it does not wait for a time limit')
      t.is(server.calls().length, 1)
      t.is(server.received.filter(({ http }) => http === 'GET').length, 0)
    })

/** A result in place of the server's, in either way of answering. */
const answering =
  (result: string, inStream = false) =>
  ({ method, id }: Received, _request: unknown, response: ServerResponse): boolean => {
    if (method !== 'tools/call') return false
    const message = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
    response.writeHead(200, inStream ? stream : json).end(inStream ? `${progress}data: ${message}\n\n` : message)
    return true
  }

test('models see the structured form that matches the pinned schema, or else the content', async (t) => {
  const server = await startMcpServer(t, { era: 'sessions' })
  const { call } = await openDialect(t)
  const output_schema = { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] }
  const pinned = { name: 'add', description: 'Adds.', input_schema: { type: 'object' }, output_schema }
  const words = '[{"type":"text","text":"It is 3."}]'
  const note = `Its structured form does not match the tool's output schema: "sum" has the type "string", expected "integer".`
  const rows: [result: string, outcome: object][] = [
    [`{"content":${words},"structuredContent":{"sum":3}}`, { kind: 'succeeded', text: '{"sum":3}' }],
    [
      `{"content":${words},"structuredContent":{"sum":"3"}}`,
      { kind: 'succeeded', text: `{"content":${words},"note":${JSON.stringify(note)}}` },
    ],
    [`{"content":${words}}`, { kind: 'succeeded', text: `{"content":${words}}` }],
    [
      `{"content":[],"structuredContent":{"sum":"3"}}`,
      { kind: 'unread', text: `${unreadResult} Its structured form does not match the tool's output schema.` },
    ],
    [`{"isError":true,"content":${words},"structuredContent":{"sum":"3"}}`, { kind: 'rejected' }],
    ['{}', { kind: 'unread' }],
    ['{"content":"It is 3."}', { kind: 'unread' }],
  ]
  for (const [result, outcome] of rows)
    for (const inStream of [false, true]) {
      server.instead = answering(result, inStream)
      t.like(await call(server.url, 'add', { pinned }), outcome, result)
    }
  const odd = `{"${'long'.repeat(200)}":"\\u0000"}`
  server.instead = answering(`{"content":[],"structuredContent":${odd}}`)
  t.like(await call(server.url, 'add', { pinned }), { kind: 'succeeded' }, 'what cannot be checked is not wrong')
  const unchecked = { ...pinned, output_schema: undefined }
  server.instead = answering('{"content":[],"structuredContent":{"sum":"3"}}')
  t.like(await call(server.url, 'add', { pinned: unchecked }), { kind: 'succeeded', text: '{"sum":"3"}' })
  server.instead = answering('{"content":[],"structuredContent":[1,2]}')
  t.like(await call(server.url, 'add', { pinned: unchecked }), {
    kind: 'succeeded',
    text: '{"structuredContent":[1,2]}',
  })
  server.instead = answering('{"content":[],"structuredContent":12345678901234567890}')
  t.like(await call(server.url, 'add'), { text: '{"structuredContent":12345678901234567890}' })
})

test('a result keeps every digit, whether it is short or long', async (t) => {
  const server = await startMcpServer(t)
  const { call } = await openDialect(t)
  for (const length of [1, 50_000])
    for (const inStream of [false, true]) {
      const structured = `{"number":12345678901234567890,"price":1.10,"text":"${'x'.repeat(length)}"}`
      server.instead = answering(`{"resultType":"complete","content":[],"structuredContent":${structured}}`, inStream)
      t.like(await call(server.url, 'count'), { kind: 'succeeded', text: structured })
    }
})

test('an answer with the id as a text, in a list, or in lines of a stream is read', async (t) => {
  const server = await startMcpServer(t, { era: 'sessions' })
  const { call } = await openDialect(t)
  const bodies: [type: object, body: (id: unknown) => string][] = [
    [json, (id) => resultOf(String(id))],
    [json, (id) => `[{"jsonrpc":"2.0","method":"notifications/message"},${resultOf(id)}]`],
    [
      stream,
      (id) =>
        `\uFEFFevent: message\r\n${resultOf(id).replace('"result"', '\r\n"result"').replaceAll(/^/gm, 'data: ')}\r\n\r\n`,
    ],
    [stream, (id) => `event: other\ndata: ${resultOf(id, 'Not this.')}\n\ndata: ${resultOf(id)}\n\n`],
  ]
  for (const [type, body] of bodies) {
    server.instead = ({ method, id }, _request, response) =>
      method === 'tools/call' && !!response.writeHead(200, { ...type }).end(body(id))
    t.like(await call(server.url, 'count'), { kind: 'succeeded', text: '{"content":[{"type":"text","text":"Done."}]}' })
  }
})

test('a call of a tool that the server does not know says that the list is stale', async (t) => {
  for (const era of eras) {
    const server = await startMcpServer(t, { era })
    const { call } = await openDialect(t)
    server.removed.add('count')
    t.like(await call(server.url, 'count'), { kind: 'rejected', listIsStale: true })
    t.is(((await call(server.url, 'fail')) as { listIsStale?: true }).listIsStale, undefined)
  }
})

test('parameters are repeated in headers where the pinned schema says so', async (t) => {
  const server = await startMcpServer(t)
  const { call } = await openDialect(t)
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  const input_schema = {
    type: 'object',
    properties: {
      region,
      to: { type: 'object', properties: { zone: { ...region, 'x-mcp-header': 'Zone' } } },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      flag: { type: 'boolean', 'x-mcp-header': 'Flag' },
    },
  }
  const pinned = { name: 'count', description: 'Counts.', input_schema }
  let sent: IncomingHttpHeaders = {}
  server.instead = ({ method }, request) => {
    if (method === 'tools/call') sent = request.headers
    return false
  }
  const use = async (args: object) => {
    t.like(await call(server.url, 'count', { pinned, arguments: JSON.stringify(args) }), { kind: 'succeeded' })
    return ['region', 'zone', 'count', 'flag'].map((name) => sent[`mcp-param-${name}`])
  }
  t.deepEqual(await use({ region: 'eu west', to: { zone: 'Grün\r\n' }, count: 42, flag: false }), [
    'eu west',
    `=?base64?${Buffer.from('Grün\r\n').toString('base64')}?=`,
    '42',
    'false',
  ])
  t.deepEqual(await use({ region: null, to: {}, flag: ['x'] }), [undefined, undefined, undefined, undefined])
  t.is((await use({ region: '=?base64?YQ==?=' }))[0], `=?base64?${Buffer.from('=?base64?YQ==?=').toString('base64')}?=`)
})

test('a server that requires a parameter in a header gets it', async (t) => {
  const inputSchema = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) })
  const server = await startMcpServer(t, {
    more: (made) => {
      made.registerTool('locate', { inputSchema }, ({ region }) => ({ content: [{ type: 'text', text: region }] }))
    },
  })
  const { list, call } = await openDialect(t)
  const pinned = (await list(server.url)).manifest.tools.find(({ name }) => name === 'locate')
  const args = { arguments: '{"region":"Zürich"}' }
  t.like(await call(server.url, 'locate', args), { kind: 'rejected', httpStatus: 400 })
  t.like(await call(server.url, 'locate', { ...args, pinned }), { kind: 'succeeded' })
})

const late = { kind: 'unavailable', certain: false, text: 'The site did not respond in time.' }

test('an answer for which a server takes too long ends with the time limit', async (t) => {
  const server = await startMcpServer(t)
  const { call } = await openDialect(t, { timeoutSeconds: 4 })
  // The session is open before the clock matters.
  t.like(await call(server.url, 'count'), { kind: 'succeeded' })
  server.instead = ({ method }, _request, response) => {
    if (method !== 'tools/call') return false
    response.writeHead(200, stream).write(progress)
    return true
  }
  t.like(await call(server.url, 'count'), late)
})

test('a time limit that a process notices late, as when it stood still, is a time limit', async (t) => {
  const server = await startMcpServer(t)
  const { call } = await openDialect(t, { timeoutSeconds: 4, noticedAfterMs: 1500 })
  t.like(await call(server.url, 'count'), { kind: 'succeeded' })
  server.instead = ({ method }) => method === 'tools/call'
  t.like(await call(server.url, 'count'), late)
})

test('the end of the handshake has no more time than the rest of it', async (t) => {
  const server = await startMcpServer(t, { era: 'sessions' })
  const { call } = await openDialect(t, { timeoutSeconds: 4 })
  server.instead = ({ method }) => method === 'notifications/initialized'
  t.like(await call(server.url, 'count'), { ...late, certain: true })
  t.is(server.calls().length, 0)
})

test('a call that is aborted ends with the reason', async (t) => {
  const server = await startMcpServer(t)
  const { call } = await openDialect(t)
  const abort = new AbortController()
  server.instead = ({ method }) => {
    if (method !== 'tools/call') return false
    abort.abort(new Error('It is cancelled.'))
    return true
  }
  await t.throwsAsync(call(server.url, 'count', { signal: abort.signal }), { message: 'It is cancelled.' })
})

test('a call for which there is no session was not sent, and did nothing', async (t) => {
  const server = await startMcpServer(t, { era: 'sessions' })
  const { call } = await openDialect(t)
  t.like(await call(unused, 'count'), { kind: 'unavailable', certain: true })
  for (const [refusing, status] of [
    ['server/discover', 500],
    ['server/discover', 303],
    ['initialize', 404],
    ['initialize', 500],
    ['initialize', 303],
    ['notifications/initialized', 404],
    ['notifications/initialized', 500],
  ] as const) {
    server.instead = ({ method }, _request, response) =>
      method === refusing && !!response.writeHead(status, status === 303 ? { Location: '/login' } : {}).end()
    t.like(await call(server.url, 'count'), { kind: 'unavailable', certain: true }, `${refusing} ${status}`)
  }
  t.is(server.calls().length, 0)
  for (const status of [401, 403, 429]) {
    server.instead = (_received, _request, response) => !!response.writeHead(status, { 'Retry-After': '7' }).end()
    t.like(await call(server.url, 'count', { generation: status }), {
      kind: 'refused',
      certain: true,
      httpStatus: status,
    })
  }
})

test('numbers arrive as they were written', async (t) => {
  const server = await startMcpServer(t, { era: 'sessions' })
  const { call } = await openDialect(t)
  const args = '{"a":12345678901234567890,"b":1.10}'
  await call(server.url, 'add', { arguments: args })
  t.true(server.calls()[0]?.body.includes(`"arguments":${args}`))
})

test('a server that asks without end is answered a few times', async (t) => {
  const server = await startMcpServer(t, { era: 'sessions' })
  const { call } = await openDialect(t)
  const pings = Array.from(
    { length: 500 },
    (_, id) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n\n`,
  )
  let replies = 0
  let answer = (): void => {}
  server.instead = ({ http, method, id }, _request, response) => {
    if (http === 'POST' && method === undefined) {
      replies += 1
      if (replies === 10) answer()
    }
    if (method !== 'tools/call') return false
    answer = () => void response.end(`data: ${resultOf(id)}\n\n`)
    response.writeHead(200, stream).write(pings.join(''))
    return true
  }
  t.like(await call(server.url, 'count'), { kind: 'succeeded' })
  t.is(replies, 10)
})
