/** Answers of providers, event by event, as short as their adapters take them. */

/** The three protocols that fail in different ways. */
export type Protocol = 'chat' | 'anthropic' | 'responses'

/** The kind of provider in MODELS_FILE that speaks a protocol. */
export const kindOf = { chat: 'openai-compatible', anthropic: 'anthropic', responses: 'openai' } as const

export interface WireCall {
  id: string
  name: string
  arguments: string
}

const [input, output] = [2000, 100]
const chatUsage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }

const chunk = (delta: object, more: object = {}) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
})

const chatCalls = (calls: WireCall[]) =>
  calls.map(({ id, name, arguments: text }, index) =>
    chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] }),
  )

/** Chat Completions: the beginning, the end, and the usage that comes after it. */
export const chat = {
  begin: (text = 'Hello') => [chunk({ role: 'assistant', content: text })],
  thinking: (text: string) => [chunk({ role: 'assistant', reasoning_content: text })],
  calls: chatCalls,
  end: (reason = 'stop') => [chunk({}, { finish_reason: reason })],
  usage: (prompt = input) => [{ ...chunk({}), choices: [], usage: { ...chatUsage, prompt_tokens: prompt } }],
  done: () => ['data: [DONE]\n\n'],
  all: (text?: string, reason = 'stop') => [...chat.begin(text), ...chat.end(reason), ...chat.usage(), ...chat.done()],
  asking: (calls: WireCall[]) => [...chatCalls(calls), ...chat.end('tool_calls'), ...chat.usage(), ...chat.done()],
  whole: (message: object = { content: 'Hello' }, reason: string | null = 'stop') =>
    JSON.stringify({
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: reason }],
      usage: chatUsage,
    }),
}

/** Anthropic states what it has read at the beginning, and what it has written at the end. */
export const anthropic = {
  begin: (text = 'Hello') => [
    {
      type: 'message_start',
      message: {
        id: 'm1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1500, cache_read_input_tokens: 500, cache_creation_input_tokens: 0, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  ],
  end: (reason = 'end_turn') => [
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: output } },
  ],
  stop: () => [{ type: 'message_stop' }],
  asking: ({ id, name, arguments: text }: WireCall) => [
    ...anthropic.begin(),
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id, name, input: {} } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: text } },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: output },
    },
    ...anthropic.stop(),
  ],
  all: (text?: string, reason?: string) => [...anthropic.begin(text), ...anthropic.end(reason), ...anthropic.stop()],
}

const message = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
})

const response = (status: string, more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status,
  error: null,
  incomplete_details: null,
  output: [],
  usage: null,
  ...more,
})

const responsesUsage = {
  input_tokens: input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: input + output,
}

/** Responses: one object that changes, with the usage in its last state. */
export const responses = {
  begin: (text = 'Hello') => [
    { type: 'response.created', sequence_number: 0, response: response('in_progress') },
    {
      type: 'response.output_item.added',
      sequence_number: 1,
      output_index: 0,
      item: { id: 'msg_1', type: 'message', status: 'in_progress', role: 'assistant', content: [] },
    },
    {
      type: 'response.output_text.delta',
      sequence_number: 2,
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta: text,
    },
  ],
  end: (text = 'Hello') => [
    { type: 'response.output_item.done', sequence_number: 3, output_index: 0, item: message(text) },
    {
      type: 'response.completed',
      sequence_number: 4,
      response: response('completed', { output: [message(text)], usage: responsesUsage }),
    },
  ],
  failed: (error: { code: string; message: string }) => [
    { type: 'response.failed', sequence_number: 3, response: response('failed', { error, usage: responsesUsage }) },
  ],
  all: (text?: string) => [...responses.begin(text), ...responses.end(text)],
}

/** A complete answer of a protocol. */
export const answers: Record<Protocol, () => (object | string)[]> = {
  chat: () => chat.all(),
  anthropic: () => anthropic.all(),
  responses: () => responses.all(),
}

/** An answer in one piece. */
export const wholeAnswers: Record<Protocol, () => string> = {
  chat: () => chat.whole(),
  anthropic: () =>
    JSON.stringify({
      ...anthropic.begin()[0]?.message,
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: input, output_tokens: output },
    }),
  responses: () => JSON.stringify(response('completed', { output: [message('Hello')], usage: responsesUsage })),
}

/** An event of a stream; raw text stays as it is. */
export const framed = (event: object | string): string => {
  if (typeof event === 'string') return event
  const name = 'type' in event ? `event: ${String(event.type)}\n` : ''
  return `${name}data: ${JSON.stringify(event)}\n\n`
}
