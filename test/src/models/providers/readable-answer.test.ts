import test from 'ava'
import { tryRows, type Row } from './answered.ts'
import { both, call, end, instead, piece, streamOf, usage } from './chat-wire.ts'

const { whole, stream } = both({ content: 'Hello' })
const texts = [piece({ content: 'Hel' }), piece({ content: 'lo' })]
const pieces = streamOf(...texts, ...end())
const swapped = ({ whole, stream }: { whole: string; stream: string }) => ({ whole: stream, stream: whole })

test('an answer is read in whatever frame it comes', (t) =>
  tryRows(t, [
    ['as asked for', { whole, stream }, 'Hello'],
    ['the other way', swapped({ whole, stream }), 'Hello'],
    ['the other way, a call', swapped(both({ tool_calls: [call('{"id":"7"}')] })), 'find {"id":"7"}'],
    ['a BOM', { whole: `\uFEFF${whole}`, stream: `\uFEFF${stream}` }, 'Hello'],
    ['empty lines around', { whole: `\n\n ${whole}\n\n`, stream: `\n\n${stream}` }, 'Hello'],
    ['in a list', { stream: streamOf([piece({ content: 'Hello' }, 'stop')], ...end()) }, 'Hello'],
    ['CRLF', { stream: pieces.replaceAll('\n', '\r\n') }, 'Hello'],
    ['CR', { stream: pieces.replaceAll('\n', '\r') }, 'Hello'],
    ['without a space', { stream: pieces.replaceAll('data: ', 'data:') }, 'Hello'],
    ['an event in two lines', { stream: pieces.replaceAll('{"choices":', '{\ndata: "choices":') }, 'Hello'],
    ['a last line that is not ended', { stream: pieces.trimEnd() }, 'Hello'],
    ['[DONE] twice', { stream: `${pieces}data: [DONE]\n\n` }, 'Hello'],
    ['no [DONE]', { stream: pieces.replace('data: [DONE]\n\n', '') }, 'Hello'],
    [
      'comments, names, numbers and pauses',
      { stream: `: wait\n\nretry: 3\n\n${pieces.replaceAll('data:', 'event: message\nid: 1\ndata:')}: wait\n\n` },
      'Hello',
    ],
    ['empty events', { stream: `data:\n\n${pieces.replaceAll('\n\n', '\n\ndata:\n\n')}` }, 'Hello'],
    [
      'lines of JSON',
      { stream: [...texts, piece({}, 'stop'), { choices: [], usage }].map((one) => JSON.stringify(one)).join('\n') },
      'Hello',
    ],
    [
      'whole messages as events',
      { stream: streamOf({ choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }], usage }) },
      'Hello',
    ],
    [
      'messages beside the pieces',
      {
        stream: streamOf(
          ...['Hel', 'lo'].map((content) => ({ choices: [{ delta: { content }, message: { content: 'Hello' } }] })),
          ...end(),
        ),
      },
      'Hello',
    ],
    [
      'events without choices',
      {
        stream: streamOf(
          { choices: [], prompt_filter_results: [] },
          ...texts,
          { choices: [{ index: 0 }] },
          piece(null, 'stop'),
          { choices: [], usage },
          '[DONE]',
        ),
      },
      'Hello',
    ],
    ['usage alone at the end', { stream: streamOf(...texts, { choices: [], usage }) }, 'Hello'],
  ]))

test('an answer that has broken off, or is none, is asked for again', (t) =>
  tryRows(t, [
    ['no end', { stream: streamOf(...texts) }, /^again: .*ended before it was complete/],
    [
      'empty words for the end',
      { stream: streamOf(piece({ content: 'Hel' }, ''), piece({ content: 'lo' }, '')) },
      /^again: .*ended before it was complete/,
    ],
    ['cut', { whole: whole.slice(0, 30), stream: pieces.slice(0, 150) }, /^again: /],
    ['nothing', { whole: '', stream: '' }, /^again: .*empty/],
    ['white space', { whole: ' \n ', stream: '\n\n\n' }, /^again: .*empty/],
    ['null', { whole: 'null', stream: 'data: null\n\n' }, /^again: /],
    ['[DONE] alone', { stream: 'data: [DONE]\n\n' }, /^again: .*ended before it was complete/],
    ['a page', { whole: '<!DOCTYPE html>', stream: '<!DOCTYPE html>' }, /^again: .*a web page or text instead of JSON/],
    ['a text', { whole: 'Bad gateway', stream: 'Bad gateway' }, /^again: /],
    [
      'a field of no meaning',
      { stream: `${streamOf(...texts)}error: {"code":500}\n\n` },
      /^again: .*ended before it was complete/,
    ],
    [
      'an event of the name error',
      { stream: `${streamOf(...texts)}event: error\ndata: {"error":"Overloaded","error_type":"overloaded"}\n\n` },
      /^again: .*overloaded/,
    ],
  ]))

const failures: [value: unknown, outcome: RegExp][] = [
  [{ error: { message: 'No.', code: 429 } }, /^again: .*rate limiting/],
  [{ error: { message: 'No.', code: '502' } }, /^again: .*502/],
  [{ error: { message: 'No.', code: 401 } }, /^never: .*credentials/],
  [{ error: { message: 'No.', type: 'invalid_request_error', code: 'invalid_api_key' } }, /^never: .*credentials/],
  [{ error: 'model is loading' }, /^again: /],
  [{ detail: 'Internal Server Error' }, /^again: /],
  [{ message: 'Something went wrong.' }, /^again: /],
  [{ object: 'error', message: 'No.', type: 'BadRequestError', code: 400 }, /^never: .*status 400/],
  [{ status: 400, error: 'Bad Request' }, /^never: .*status 400/],
  [[{ error: { code: 401, message: 'No.' } }], /^never: .*credentials/],
  [{ ...piece({}, 'error'), error: { code: 502, message: 'No.' } }, /^again: .*502/],
  ...['rate_limit_exceeded', 'overloaded_error', 'server_error', 'ServiceUnavailableError', 'upstream_timeout'].map(
    (code): [unknown, RegExp] => [{ error: { message: 'No.', code } }, /^again: /],
  ),
  ...[
    'authentication_error',
    'model_not_found',
    'invalid_request_error',
    'PermissionDeniedError',
    'billing_hard_limit',
  ].map((type): [unknown, RegExp] => [{ error: { message: 'No.', type } }, /^never: /]),
]

test('a failure that is reported with status 200 counts like its status', (t) =>
  tryRows(
    t,
    failures.map(([value, outcome]): Row => [JSON.stringify(value), instead(value), outcome]),
  ))

test('a report of a failure says what was used before, if it does', (t) =>
  tryRows(t, [['usage', instead({ error: { message: 'No.', code: 502 }, usage }), /^again: .* \[9\]$/]]))
