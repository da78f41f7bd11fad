import { events, reset, status, whole, type Act } from './failing-provider.ts'
import { anthropic, chat, responses, type Protocol } from './wire.ts'

/** One way in which a model call fails, and what is to be seen of it. */
export interface FailureRow {
  title: string
  protocol: Protocol
  act: Act
  /** The sentence on the timeline. */
  sentence: RegExp
  /** Whether another attempt may succeed. */
  passes: boolean
  /** Whether the provider has stated what it has used before it failed. */
  isBilled?: true
  /** Whether the answer is asked for in one piece. */
  isWhole?: true
}

const refused = (code: number) => new RegExp(`refused the request \\(status ${code}\\)`)
const failing = (code: number) => new RegExp(`failing or overloaded \\(status ${code}\\)`)
const credentials = /refused the platform's credentials/
const unreadable = /answer could not be read/
const brokeOff = /broke off before it was complete/
const empty = /answer of the AI provider was empty/
const endedEarly = /answer ended early/
const reported = /reported a failure in its answer/

const statuses: [code: number, passes: boolean, sentence: RegExp][] = [
  [400, false, refused(400)],
  [401, false, credentials],
  [403, false, credentials],
  [404, false, /does not have the model/],
  [408, true, refused(408)],
  [409, true, refused(409)],
  [429, true, /taking no more requests/],
  [500, true, failing(500)],
  [502, true, failing(502)],
  [503, true, failing(503)],
  [529, true, failing(529)],
]

const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
const garbled = 'data: {"id":"c1","choices":[{"index":0,\n\n'

/** Of status 200, in one piece: it is billed if it says what it has used. */
const insides: [title: string, body: string, passes: boolean, sentence: RegExp][] = [
  ['cut JSON', '{"id":', true, brokeOff],
  ['an empty body', '', true, empty],
  ['a page', '<!doctype html><title>Wait</title>', true, /a page or a text in place of JSON/],
  ['an error without a code', '{"error":"It broke."}', true, reported],
  ['code 429 in an answer', '{"error":{"message":"Slow down.","code":429}}', true, /taking no more requests/],
  ['code 502 as text in an answer', '{"error":{"message":"Bad gateway.","code":"502"}}', true, failing(502)],
  ['code 401 in an answer', '{"error":{"message":"No.","code":401}}', false, credentials],
]
const wholes = [
  // In place of a stream.
  ...(['chat', 'anthropic', 'responses'] as const).flatMap((protocol) =>
    insides
      .filter(([title]) => /401|429|page/.test(title))
      .map(([title, body, passes, sentence]): FailureRow => {
        return { title: `${title} in place of a stream`, protocol, act: whole(body), sentence, passes }
      }),
  ),
  ...(['chat', 'anthropic', 'responses'] as const).flatMap((protocol) =>
    insides.map(([title, body, passes, sentence]): FailureRow => {
      return { title, protocol, act: whole(body), sentence, passes, isWhole: true }
    }),
  ),
  {
    title: 'a wrong shape',
    protocol: 'chat',
    act: whole('{"id":"c1","choices":"none"}'),
    sentence: /could not be read: choices is a text/,
    passes: false,
    isWhole: true,
  } satisfies FailureRow,
  {
    title: 'an error with its usage',
    protocol: 'chat',
    act: whole('{"error":{"message":"Bad gateway.","code":502},"usage":{"prompt_tokens":2000,"completion_tokens":0}}'),
    sentence: failing(502),
    passes: true,
    isBilled: true,
    isWhole: true,
  } satisfies FailureRow,
]

/** Every row of the tables of failures. The adapter of each protocol tells them in its own way. */
export const failureRows: FailureRow[] = [
  ...statuses.map(([code, passes, sentence]): FailureRow => {
    const act = status(code)
    return { title: `status ${code}`, protocol: 'chat', act, sentence, passes }
  }),
  {
    title: 'a redirect',
    protocol: 'chat',
    act: status(307, { location: 'http://127.0.0.1:9/' }, ''),
    sentence: /answered with a redirect \(status 307\), which is not followed/,
    passes: false,
  },
  { title: 'a reset before the answer', protocol: 'chat', act: reset, sentence: /closed the connection/, passes: true },
  {
    title: 'a reset in mid-stream',
    protocol: 'chat',
    act: events(chat.begin(), 'reset'),
    sentence: brokeOff,
    passes: true,
  },
  {
    title: 'a reset after the usage was stated',
    protocol: 'chat',
    act: events([...chat.begin(), ...chat.end(), ...chat.usage()], 'reset'),
    sentence: brokeOff,
    passes: true,
    isBilled: true,
  },
  {
    title: 'a clean end without finish',
    protocol: 'chat',
    act: events(chat.begin()),
    sentence: brokeOff,
    passes: true,
  },
  {
    title: 'a stream without any event',
    protocol: 'chat',
    act: events([]),
    sentence: empty,
    passes: true,
  },
  {
    title: 'an answer without usage',
    protocol: 'chat',
    act: events([...chat.begin(), ...chat.end(), ...chat.done()]),
    sentence: /does not state its token usage.*estimateUsage/,
    passes: false,
  },
  {
    title: 'broken JSON in the stream',
    protocol: 'chat',
    act: events([...chat.begin(), garbled, ...chat.end(), ...chat.usage(), ...chat.done()]),
    sentence: unreadable,
    passes: true,
    isBilled: true,
  },
  {
    title: 'an error event in the stream',
    protocol: 'chat',
    act: events([...chat.begin(), { error: { message: 'It broke.', type: 'server_error', code: null } }]),
    sentence: failing(500),
    passes: true,
  },
  {
    title: 'an error event with a status in the stream',
    protocol: 'chat',
    act: events([...chat.begin(), { error: { message: 'The prompt is bad.', code: 400 } }]),
    sentence: refused(400),
    passes: false,
  },
  {
    title: 'a reset in mid-stream',
    protocol: 'anthropic',
    act: events(anthropic.begin(), 'reset'),
    sentence: brokeOff,
    passes: true,
    isBilled: true,
  },
  {
    title: 'a clean end without finish',
    protocol: 'anthropic',
    act: events(anthropic.begin()),
    sentence: endedEarly,
    passes: true,
    isBilled: true,
  },
  {
    title: 'a clean end before any text',
    protocol: 'anthropic',
    act: events(anthropic.begin().slice(0, 1)),
    sentence: brokeOff,
    passes: true,
    isBilled: true,
  },
  {
    title: 'a clean end without the last event',
    protocol: 'anthropic',
    act: events([...anthropic.begin(), ...anthropic.end()]),
    sentence: endedEarly,
    passes: true,
    isBilled: true,
  },
  {
    title: 'overload in the stream',
    protocol: 'anthropic',
    act: events([...anthropic.begin(), overloaded]),
    sentence: failing(529),
    passes: true,
    isBilled: true,
  },
  {
    title: 'overload as the first event',
    protocol: 'anthropic',
    act: events([overloaded]),
    sentence: failing(529),
    passes: true,
  },
  {
    title: 'broken JSON in the stream',
    protocol: 'anthropic',
    act: events([...anthropic.begin(), 'event: content_block_delta\ndata: {"type":\n\n', ...anthropic.end()]),
    sentence: unreadable,
    passes: true,
    isBilled: true,
  },
  {
    title: 'a failure in the stream',
    protocol: 'responses',
    act: events([...responses.begin(), ...responses.failed({ code: 'server_error', message: 'It broke.' })]),
    sentence: failing(500),
    passes: true,
    isBilled: true,
  },
  {
    title: 'an error event in the stream',
    protocol: 'responses',
    act: events([
      ...responses.begin(),
      { type: 'error', sequence_number: 3, code: 'rate_limit_exceeded', message: 'Slow down.', param: null },
    ]),
    sentence: /taking no more requests/,
    passes: true,
  },
  {
    title: 'an error as the first event',
    protocol: 'responses',
    act: events([{ type: 'error', sequence_number: 0, code: 'invalid_prompt', message: 'No.', param: null }]),
    sentence: refused(400),
    passes: false,
  },
  {
    title: 'a clean end without finish',
    protocol: 'responses',
    act: events(responses.begin()),
    sentence: endedEarly,
    passes: true,
  },
  {
    title: 'a reset in mid-stream',
    protocol: 'responses',
    act: events(responses.begin(), 'reset'),
    sentence: brokeOff,
    passes: true,
  },
  ...wholes,
  {
    title: 'a reset in the middle of an answer in one piece',
    protocol: 'chat',
    act: (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"id":')
      setTimeout(() => response.socket?.resetAndDestroy(), 100)
    },
    sentence: brokeOff,
    passes: true,
    isWhole: true,
  },
]
