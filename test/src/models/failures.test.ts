import test from 'ava'
import { anthropic, chat, framed, kindOf, responses, wholeAnswers, type Protocol } from '../../models/wire.ts'
import { outcomeOf } from './providers/answered.ts'

/* How the calls of the three protocols fail, as their adapters tell it: what may pass, and what is billed already. */

type Sent = (object | string)[]

const said = (body: string, status = 200, headers: Record<string, string> = {}) =>
  new Response(body, { status, headers })
const streamed = (events: Sent) => said(events.map(framed).join(''))

/** A connection that is lost after some events, as Node.js reports it: with the cause, if that is known. */
async function* lost(events: Sent, options: ErrorOptions) {
  for (const event of events) yield Buffer.from(framed(event))
  await Promise.reject(new TypeError('terminated', options))
}
const closed = { cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }) }
const reset = (events: Sent, options: ErrorOptions = closed) =>
  new Response(ReadableStream.from<Uint8Array>(lost(events, options)))

const brokeOff = /^again: .* ended before it was complete\.$/
const billed = /^again: .* ended before it was complete\. \[2000\]$/
const endedEarly = /^again: .* ended early/
const unread = /^again: .* could not be read\. \[2000\]$/

test('a status tells whether another attempt may succeed', async (t) => {
  const statuses: [code: number, outcome: RegExp][] = [
    [400, /^never: .*rejected the request \(status 400\)/],
    [401, /^never: .*rejected the platform's credentials/],
    [402, /^never: .*no credit left/],
    [403, /^never: .*credentials/],
    [404, /^never: .*does not offer this model/],
    [422, /^never: .*status 422/],
    [408, /^again: .*status 408/],
    [409, /^again: .*status 409/],
    [429, /^again: .*rate limiting this platform/],
    [500, /^again: .*failing or overloaded \(status 500\)/],
    [529, /^again: .*status 529/],
    [307, /^never: .*a redirect \(status 307\)\. Redirects are not followed/],
  ]
  for (const [code, outcome] of statuses)
    for (const kind of Object.values(kindOf))
      t.regex(await outcomeOf(() => said('{"error":{"message":"no"}}', code), { kind }), outcome, `${kind} ${code}`)
})

const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
const errorOf = (code: string) => ({ type: 'error', sequence_number: 0, code, message: 'No.', param: null })
const garbled = 'data: {"id":"c1","choices":[{"index":0,\n\n'

const streams: Record<Protocol, [name: string, answer: () => Response, outcome: RegExp][]> = {
  chat: [
    ['lost', () => reset(chat.begin()), brokeOff],
    ['lost for no known cause', () => reset(chat.begin(), {}), brokeOff],
    ['lost after its usage', () => reset([...chat.begin(), ...chat.end(), ...chat.usage()]), billed],
    ['without an end', () => streamed(chat.begin()), brokeOff],
    ['without usage', () => streamed([...chat.begin(), ...chat.end(), ...chat.done()]), /^never: .*estimateUsage/],
    ['broken JSON', () => streamed([...chat.begin(), garbled, ...chat.end(), ...chat.usage(), ...chat.done()]), unread],
    ['an error', () => streamed([...chat.begin(), { error: { message: 'No.', code: 400 } }]), /^never: .*status 400/],
  ],
  anthropic: [
    ['lost', () => reset(anthropic.begin()), billed],
    ['lost for no known cause', () => reset(anthropic.begin(), {}), billed],
    ['lost before an event', () => reset([': wait\n\n'], {}), brokeOff],
    ['without an end', () => streamed(anthropic.begin()), /^again: .* ended early.* \[2000\]$/],
    ['without words', () => streamed(anthropic.begin().slice(0, 1)), billed],
    [
      'without its last event',
      () => streamed([...anthropic.begin(), ...anthropic.end()]),
      /^again: .* ended early.* \[2000\]$/,
    ],
    ['overload', () => streamed([...anthropic.begin(), overloaded]), /^again: .*status 529\)\. \[2000\]$/],
    ['overload at once', () => streamed([overloaded]), /^again: .*status 529\)\.$/],
    [
      'broken JSON',
      () => streamed([...anthropic.begin(), 'event: content_block_delta\ndata: {"type":\n\n', ...anthropic.end()]),
      unread,
    ],
  ],
  responses: [
    ['lost', () => reset(responses.begin()), brokeOff],
    ['lost for no known cause', () => reset(responses.begin(), {}), brokeOff],
    ['without an end', () => streamed(responses.begin()), endedEarly],
    [
      'a failure',
      () => streamed([...responses.begin(), ...responses.failed({ code: 'server_error', message: 'No.' })]),
      /^again: .*status 500\)\. \[2000\]$/,
    ],
    ['an error', () => streamed([...responses.begin(), errorOf('rate_limit_exceeded')]), /^again: .*rate limiting/],
    ['an error at once', () => streamed([errorOf('invalid_prompt')]), /^never: .*status 400/],
  ],
}

for (const [protocol, rows] of Object.entries(streams) as [Protocol, (typeof streams)['chat']][]) {
  test(`a stream that fails says whether it may pass, and what it has used (${protocol})`, async (t) => {
    for (const [name, answer, outcome] of [...rows, ['empty', () => streamed([]), /^again: .*empty/] as const])
      t.regex(await outcomeOf(answer, { kind: kindOf[protocol] }), outcome, name)
  })

  test(`what is no answer of the form that was asked for is none (${protocol})`, async (t) => {
    const bodies: [body: string, outcome: RegExp][] = [
      ['{"id":', brokeOff],
      ['', /^again: .*empty/],
      ['<!doctype html>', /^again: .*a web page or text instead of JSON/],
      ['{"error":"It broke."}', /^again: .*reported a failure/],
      ['{"error":{"message":"Slow down.","code":429}}', /^again: .*rate limiting/],
      ['{"error":{"message":"No.","code":401}}', /^never: .*credentials/],
    ]
    for (const [body, outcome] of bodies)
      for (const stream of [false, true])
        t.regex(await outcomeOf(() => said(body), { kind: kindOf[protocol], stream }), outcome, `${stream} ${body}`)
    if (protocol === 'chat') return
    const kind = kindOf[protocol]
    t.regex(await outcomeOf(() => said(wholeAnswers[protocol]()), { kind }), /^never: .*"stream": false/)
    const events = { anthropic: anthropic.all(), responses: responses.all() }[protocol]
    t.regex(await outcomeOf(() => streamed(events), { kind, stream: false }), /^never: .*"stream": true/)
  })
}

test('an answer in one piece that is lost in the middle has broken off', async (t) => {
  for (const kind of Object.values(kindOf))
    t.regex(await outcomeOf(() => reset(['{"id":']), { kind, stream: false }), brokeOff)
})
