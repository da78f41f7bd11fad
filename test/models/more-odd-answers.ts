import type { OddAnswer } from './odd-answers.ts'

/* More odd answers, beside the list of them. */

const counts = { prompt_tokens: 9, completion_tokens: 1 }

/** The same message in both forms. */
function both(message: object, more: object = {}, rest: object = { usage: counts }) {
  const whole = { choices: [{ index: 0, message, finish_reason: 'stop', ...more }], ...rest }
  const stream = { choices: [{ index: 0, delta: message, finish_reason: 'stop', ...more }], ...rest }
  return { whole: { body: JSON.stringify(whole) }, stream: `data: ${JSON.stringify(stream)}\n\ndata: [DONE]\n\n` }
}

/** The same object in place of an answer. */
const instead = (value: object) => ({
  whole: { body: JSON.stringify(value) },
  stream: `data: ${JSON.stringify(value)}\n\ndata: [DONE]\n\n`,
})

const streamOf = (...chunks: unknown[]): string =>
  chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('')

const piece = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const calling = (...calls: object[]) => piece({ tool_calls: calls })
const ended = [{ choices: [], usage: counts }, '[DONE]']

const find = (id: string) => ({ name: 'find', arguments: { id } })
const call = (args: unknown, more: object = {}) => ({
  id: 'c',
  type: 'function',
  function: { name: 'find', arguments: args },
  ...more,
})

export const moreOddAnswers: OddAnswer[] = [
  {
    name: 'an unknown end word',
    server: '-',
    ...both({ content: 'Hello' }, { finish_reason: 'gone fishing' }),
    expect: { text: 'Hello' },
  },
  {
    name: 'end word true',
    server: '-',
    ...both({ content: 'Hello' }, { finish_reason: true }),
    expect: { text: 'Hello' },
  },
  {
    name: 'end word max_output_tokens',
    server: '-',
    ...both({ content: 'Hel' }, { finish_reason: 'max_output_tokens' }),
    expect: { text: 'Hel', truncated: true },
  },
  {
    name: 'end word SAFETY',
    server: '-',
    ...both({ content: '' }, { finish_reason: 'SAFETY' }),
    expect: { refused: 'SAFETY' },
  },
  { name: 'content is a list of texts', server: '-', ...both({ content: ['Hel', 'lo'] }), expect: { text: 'Hello' } },
  {
    name: 'content is one part',
    server: '-',
    ...both({ content: { type: 'text', text: 'Hello' } }),
    expect: { text: 'Hello' },
  },
  {
    name: 'content parts of type output_text, or of none',
    server: '-',
    ...both({ content: [{ type: 'output_text', text: 'Hel' }, { text: 'lo' }, null] }),
    expect: { text: 'Hello' },
  },
  {
    name: 'thoughts as a list',
    server: '-',
    ...both({ content: 'Hello', reasoning: [{ type: 'text', text: 'Hm.' }] }),
    expect: { text: 'Hello' },
  },
  {
    name: 'thoughts as an object without a text',
    server: '-',
    ...both({ content: 'Hello', reasoning_content: { effort: 1 } }),
    expect: { text: 'Hello' },
  },
  { name: 'role model', server: '-', ...both({ role: 'model', content: 'Hello' }), expect: { text: 'Hello' } },
  { name: 'content is a number', server: '-', ...both({ content: 7 }), expect: { permanent: true }, note: 'content' },
  { name: 'content is true', server: '-', ...both({ content: true }), expect: { permanent: true }, note: 'content' },
  {
    name: 'tool_calls is a text',
    server: '-',
    ...both({ content: null, tool_calls: 'find' }),
    expect: { permanent: true },
    note: 'tool_calls',
  },
  {
    name: 'a call without a name',
    server: '-',
    ...both({ content: null, tool_calls: [{ id: 'c', function: { arguments: '{}' } }] }),
    expect: { permanent: true },
    note: 'name',
  },
  {
    name: 'choices is a text',
    server: '-',
    ...instead({ choices: 'none', usage: counts }),
    expect: { permanent: true },
    note: 'choices',
  },
  {
    name: 'a choice without a message',
    server: '-',
    whole: { body: JSON.stringify({ choices: [{ finish_reason: 'stop' }], usage: counts }) },
    expect: { permanent: true },
    note: 'message',
  },
  {
    name: 'choices is one choice',
    server: '-',
    ...instead({ choices: { message: { content: 'Hello' }, finish_reason: 'stop' }, usage: counts }),
    expect: { text: 'Hello' },
  },
  {
    name: 'tool_calls is one call',
    server: '-',
    ...both({ content: null, tool_calls: call('{"id":"7"}') }),
    expect: { calls: [find('7')] },
  },
  {
    name: 'a call without "function"',
    server: '-',
    ...both({ content: null, tool_calls: [{ id: 'c', name: 'find', arguments: { id: '7' } }] }),
    expect: { calls: [find('7')] },
  },
  {
    name: 'arguments {} before their pieces',
    server: '-',
    stream: streamOf(
      calling(call({}, { index: 0 })),
      calling({ index: 0, function: { arguments: '{"id":"7"}' } }),
      piece({}, 'tool_calls'),
      ...ended,
    ),
    expect: { calls: [find('7')] },
  },
  {
    name: 'a new id with each piece',
    server: '-',
    stream: streamOf(
      calling(call('{"id":', { index: 0, id: 'a' })),
      calling({ index: 0, id: 'b', function: { arguments: '"7"}' } }),
      piece({}, 'tool_calls'),
      ...ended,
    ),
    expect: { calls: [find('7')] },
  },
  {
    name: 'two calls in pieces without index',
    server: '-',
    stream: streamOf(
      calling(call('{"id":', { id: 'a' })),
      calling({ function: { arguments: '"7"}' } }),
      calling(call('', { id: 'b' })),
      calling({ id: 'b', function: { arguments: '{"id":"8"}' } }),
      piece({}, 'tool_calls'),
      ...ended,
    ),
    expect: { calls: [find('7'), find('8')] },
  },
  {
    name: 'two whole calls of one index without ids',
    server: '-',
    stream: streamOf(
      calling(call('{"id":"7"}', { index: 0, id: undefined })),
      calling(call('{"id":"8"}', { index: 0, id: undefined })),
      piece({}, 'tool_calls'),
      ...ended,
    ),
    expect: { calls: [find('7'), find('8')] },
  },
  {
    name: 'pieces of two calls that take turns',
    server: '-',
    stream: streamOf(
      calling(call('{"id"', { index: 0, id: 'a' })),
      calling(call('{"id"', { index: 1, id: 'b' })),
      calling({ index: 0, function: { arguments: ':"7"}' } }),
      calling({ index: 1, function: { arguments: ':"8"}' } }),
      piece({}, 'tool_calls'),
      ...ended,
    ),
    expect: { calls: [find('7'), find('8')] },
  },
  {
    name: 'an end word "" in each piece, and a lost end',
    server: '-',
    stream: streamOf(piece({ content: 'Hel' }, ''), piece({ content: 'lo' }, '')),
    expect: { retry: true },
  },
  {
    name: 'usage alone at the end, without a word and [DONE]',
    server: '-',
    stream: streamOf(piece({ content: 'Hello' }), { choices: [], usage: counts }),
    expect: { text: 'Hello' },
  },
  {
    name: 'usage as input_tokens',
    server: '-',
    ...both({ content: 'Hello' }, {}, { usage: { input_tokens: 9, output_tokens: 1 } }),
    expect: { text: 'Hello' },
  },
  {
    name: 'usage in the choice',
    server: '-',
    ...both({ content: 'Hello' }, { usage: counts }, {}),
    expect: { text: 'Hello' },
  },
  {
    name: 'usage of zeros',
    server: '-',
    ...both({ content: 'Hello' }, {}, { usage: { prompt_tokens: 0, completion_tokens: 0 } }),
    expect: { permanent: true },
    note: 'estimateUsage',
  },
  {
    name: 'usage {}',
    server: '-',
    ...both({ content: 'Hello' }, {}, { usage: {} }),
    expect: { permanent: true },
    note: 'estimateUsage',
  },
  {
    name: 'lines of JSON',
    server: '-',
    stream: [piece({ content: 'Hel' }), piece({ content: 'lo' }, 'stop'), { choices: [], usage: counts }]
      .map((one) => JSON.stringify(one))
      .join('\n'),
    streamHeaders: { 'content-type': 'application/x-ndjson' },
    expect: { text: 'Hello' },
  },
  {
    name: 'CR line ends',
    server: '-',
    stream: streamOf(piece({ content: 'Hello' }, 'stop'), ...ended).replaceAll('\n', '\r'),
    expect: { text: 'Hello' },
  },
  {
    name: 'whole messages in place of pieces',
    server: '-',
    stream: streamOf({ choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }], usage: counts }),
    expect: { text: 'Hello' },
  },
  {
    name: 'an event in a list',
    server: '-',
    stream: streamOf([piece({ content: 'Hello' }, 'stop')], ...ended),
    expect: { text: 'Hello' },
  },
  {
    name: 'only the second choice',
    server: '-',
    whole: {
      body: JSON.stringify({
        choices: [null, { index: 1, message: { content: 'Hello' }, finish_reason: 'stop' }],
        usage: counts,
      }),
    },
    expect: { text: 'Hello' },
  },
  ...['rate_limit_exceeded', 'overloaded_error', 'server_error', 'ServiceUnavailableError', '503'].map(
    (code) =>
      ({
        name: `an error of the code ${code}`,
        server: '-',
        ...instead({ error: { message: 'No.', code } }),
        expect: { retry: true },
      }) as const,
  ),
  ...['authentication_error', 'model_not_found', 'invalid_request_error', 'PermissionDeniedError'].map(
    (type) =>
      ({
        name: `an error of the type ${type}`,
        server: '-',
        ...instead({ error: { message: 'No.', type } }),
        expect: { permanent: true },
      }) as const,
  ),
  {
    name: 'an error in a list',
    server: '-',
    ...instead([{ error: { code: 401, message: 'No.' } }]),
    expect: { permanent: true },
  },
  {
    name: 'an error beside a status',
    server: '-',
    ...instead({ status: 400, error: 'Bad Request' }),
    expect: { permanent: true },
  },
  { name: 'a message alone', server: '-', ...instead({ message: 'Something went wrong.' }), expect: { retry: true } },
  {
    name: 'a text',
    server: '-',
    whole: { headers: { 'content-type': 'text/plain' }, body: 'Bad gateway' },
    streamHeaders: { 'content-type': 'text/plain' },
    stream: 'Bad gateway',
    expect: { retry: true },
  },
  { name: 'white space', server: '-', whole: { body: ' \n ' }, stream: '\n\n\n', expect: { retry: true } },
  { name: 'null', server: '-', whole: { body: 'null' }, stream: 'data: null\n\n', expect: { retry: true } },
]
