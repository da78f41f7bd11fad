import test from 'ava'
import { inPieces, stepOf, tryRows, type Row } from './answered.ts'
import { both, call, end, instead, piece, streamOf, usage } from './chat-wire.ts'

/* Chat Completions of the servers of many makers. */

const hello = { role: 'assistant', content: 'Hello' }
const word = (finish: unknown) => both(hello, { finish_reason: finish })
const calls = (...made: object[]) => both({ content: null, tool_calls: made }, { finish_reason: 'tool_calls' })

test('a word for the end is read in the spelling of every server, and the lack of one is no failure', (t) =>
  tryRows(t, [
    ...[
      'eos_token',
      'end_turn',
      'STOP',
      '',
      null,
      undefined,
      0,
      true,
      'gone fishing',
      { type: 'stop', matched: 1 },
    ].map((finish): Row => [`ended by ${JSON.stringify(finish)}`, word(finish), 'Hello']),
    ...['MAX_TOKENS', 'LENGTH', 'model_length', 'max_output_tokens'].map((finish): Row => [
      finish,
      word(finish),
      'truncated: Hello',
    ]),
    ...['content_filter', 'SAFETY'].map((finish): Row => [finish, word(finish), 'refused: Hello']),
    ['nothing, filtered', both({ content: null }, { finish_reason: 'content_filter' }), 'refused: '],
    ['a refusal', both({ content: null, refusal: 'I cannot.' }), 'refused: I cannot.'],
    ['want of resources', word('insufficient_system_resource'), /^again: .* ended early/],
    ['aborted', word('abort'), /^again: .* ended early \(abort\)/],
  ]))

test('the words of a message are read from each form of content', (t) =>
  tryRows(t, [
    ['a list of parts', both({ content: [{ type: 'text', text: 'Hel' }, { text: 'lo' }, null] }), 'Hello'],
    ['a list of texts', both({ content: ['Hel', 'lo'] }), 'Hello'],
    ['one part', both({ content: { type: 'text', text: 'Hello' } }), 'Hello'],
    [
      'thoughts and an unknown part',
      both({ content: [{ type: 'thinking', thinking: [{ text: 'Hm.' }] }, { type: 'reference' }, 'Hello'] }),
      'Hello',
    ],
    ['thoughts as a list', both({ content: 'Hello', reasoning: [{ text: 'Hm.' }] }), 'Hello'],
    ['thoughts that are none', both({ content: 'Hello', reasoning_content: { effort: 1 }, reasoning: null }), 'Hello'],
    ['without a role', both({ content: 'Hello' }), 'Hello'],
    ['members that are null', both({ ...hello, tool_calls: null, function_call: null, refusal: null }), 'Hello'],
    ['an empty list of calls', both({ ...hello, tool_calls: [] }, { finish_reason: 'tool_calls' }), 'Hello'],
    ['neither calls nor words', both({ content: null, tool_calls: [] }, { finish_reason: 'tool_calls' }), 'empty: '],
    ['an error that is null', both(hello, {}, { usage, error: null }), 'Hello'],
    ['a number', both({ content: 7 }), /^never: .*content/],
    ['calls that are a text', both({ content: null, tool_calls: 'find' }), /^never: .*tool_calls/],
    ['a choice without a message', { whole: '{"choices":[{"finish_reason":"stop"}]}' }, /^never: .*message/],
    ['choices that are a text', instead({ choices: 'none', usage }), /^never: .*choices/],
  ]))

test('of several choices one counts, wherever it is', (t) => {
  const other = (delta: object, finish: string | null = null) => ({
    choices: [{ index: 1, delta, finish_reason: finish }],
  })
  const choice = { message: hello, finish_reason: 'stop' }
  return tryRows(t, [
    [
      'the first',
      { whole: JSON.stringify({ choices: [choice, { ...choice, index: 1, message: {} }], usage }) },
      'Hello',
    ],
    ['only the second', { whole: JSON.stringify({ choices: [null, { ...choice, index: 1 }], usage }) }, 'Hello'],
    [
      'one without a list',
      { whole: JSON.stringify({ choices: choice, usage }), stream: streamOf({ choices: choice, usage }) },
      'Hello',
    ],
    [
      'two that take turns',
      {
        stream: streamOf(
          piece({ content: 'Hel' }),
          other({ content: 'Oth' }),
          piece({ content: 'lo' }),
          other({}, 'length'),
          ...end(),
        ),
      },
      'Hello',
    ],
    [
      'none',
      { whole: JSON.stringify({ choices: [], usage }), stream: streamOf({ choices: [], usage }, '[DONE]') },
      'empty: ',
    ],
    [
      'null',
      { whole: JSON.stringify({ choices: null, usage }), stream: streamOf({ choices: null, usage }, '[DONE]') },
      'empty: ',
    ],
  ])
})

test('a call is made with the arguments that are meant, and with none that are guessed', (t) =>
  tryRows(t, [
    ['finish stop', both({ tool_calls: [call('{"id":"7"}')] }), 'find {"id":"7"}'],
    ['finish tool_call', both({ tool_calls: [call('{"id":"7"}')] }, { finish_reason: 'tool_call' }), 'find {"id":"7"}'],
    ...[undefined, null, ''].map((args): Row => [`arguments ${args}`, calls(call(args)), 'find {}']),
    ...[{ id: '7' }, '[{"id":"7"}]', '"{\\"id\\":\\"7\\"}"', '\uFEFF{"id":"7"}'].map((args): Row => [
      `arguments ${JSON.stringify(args)}`,
      calls(call(args)),
      'find {"id":"7"}',
    ]),
    ['two objects', calls(call('[{"id":"7"},{}]')), 'unreadable [{"id":"7"},{}]'],
    ["Python's notation", calls(call("{'id': '7'}")), "unreadable {'id': '7'}"],
    ['half of the arguments', both({ tool_calls: [call('{"id":')] }, { finish_reason: 'length' }), 'truncated: '],
    ['without "function"', calls({ id: 'c', name: 'find', arguments: { id: '7' } }), 'find {"id":"7"}'],
    ['function_call', both({ function_call: call('{"id":"7"}').function }), 'find {"id":"7"}'],
    ['one call without a list', both({ tool_calls: call('{"id":"7"}') }), 'find {"id":"7"}'],
    ['without a name', calls({ id: 'c', function: { arguments: '{}' } }), /^never: .*name/],
    ...[
      [undefined, undefined],
      [null, null],
      ['', ''],
      ['x', 'x'],
      [0, 1],
    ].map(([one, two]): Row => [
      `ids ${one} and ${two}`,
      calls(call('{"id":"7"}', { id: one, index: 0 }), call('{"id":"8"}', { id: two, index: 1 })),
      'find {"id":"7"}, find {"id":"8"}',
    ]),
  ]))

test('usage is read in each form, and an answer without any cannot be charged', async (t) => {
  const forms: [name: string, choice: object, rest: object, input: number, output: number][] = [
    ['text', {}, { usage: { prompt_tokens: '9', completion_tokens: '1' } }, 9, 1],
    ['parts of tokens', {}, { usage: { prompt_tokens: 9.5, completion_tokens: 1.5 } }, 10, 2],
    // What was written counts: "Hello" is two tokens.
    ['the prompt alone', {}, { usage: { prompt_tokens: 9 } }, 9, 2],
    ['details that are null', {}, { usage: { ...usage, prompt_tokens_details: null } }, 9, 1],
    ['other names', {}, { usage: { input_tokens: 9, output_tokens: 1 } }, 9, 1],
    ['in the choice', { usage }, {}, 9, 1],
    ['in x_groq', {}, { x_groq: { usage } }, 9, 1],
  ]
  for (const [name, choice, rest, inputTokens, outputTokens] of forms) {
    const written = both(hello, choice, rest)
    for (const form of ['whole', 'stream'] as const) {
      const answer = await stepOf(() => inPieces(written[form], 50), { stream: form === 'stream' })
      t.like(answer, { text: 'Hello', inputTokens, outputTokens }, `${name} (${form})`)
    }
  }
  const growing = [0, 1, 2].map((completion_tokens) => ({
    ...piece({ content: 'a' }),
    usage: { prompt_tokens: 9, completion_tokens },
  }))
  const last = await stepOf(() => inPieces(streamOf(...growing, piece({}, 'stop'), '[DONE]'), 50), {})
  t.like(last, { inputTokens: 9, outputTokens: 2 }, 'the last of them, and no sum')
  for (const given of [undefined, null, {}, { prompt_tokens: 0, completion_tokens: 0 }]) {
    const without = both(hello, {}, { usage: given })
    await tryRows(t, [[`usage ${JSON.stringify(given)}`, without, /^never: .*estimateUsage/]])
    await tryRows(t, [[`usage ${JSON.stringify(given)}, estimated`, without, 'Hello']], { estimateUsage: true })
  }
})
