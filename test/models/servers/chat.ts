import { used, type Turn } from '../turns.ts'
import { event, pieces, type Format } from './scripted.ts'

const usage = {
  prompt_tokens: used.input,
  completion_tokens: used.output,
  total_tokens: used.input + used.output,
  prompt_tokens_details: { cached_tokens: used.cached },
}
const envelope = { id: 'answer-1', created: 1_790_000_000, model: 'mock' }
const finish = ({ calls }: Turn) => (calls ? 'tool_calls' : 'stop')

/** What one kind of server adds to Chat Completions: how it writes thoughts, and what it seals calls with. */
interface Dialect {
  message: (turn: Turn) => object
  deltas: (turn: Turn) => object[]
  call: (turn: Turn, index: number) => object
}

const callsOf = (turn: Turn, { call }: Dialect) =>
  turn.calls?.map(({ id, name, arguments: text }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: text },
    ...call(turn, index),
  }))

const format = (dialect: Dialect): Format => ({
  streams: (_path, body) => body.includes('"stream":true'),
  whole: (turn) => {
    const calls = callsOf(turn, dialect)
    const message = { role: 'assistant', ...dialect.message(turn), ...(calls && { tool_calls: calls }) }
    const choices = [{ index: 0, message, finish_reason: finish(turn) }]
    return { ...envelope, object: 'chat.completion', choices, usage }
  },
  type: 'text/event-stream',
  stream: (turn) => {
    const calls = callsOf(turn, dialect)
    const deltas = [{ role: 'assistant' }, ...dialect.deltas(turn), ...(calls ? [{ tool_calls: calls }] : [])]
    const chunk = (choice: object, more = {}) =>
      event({ ...envelope, object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }], ...more })
    return [
      ...deltas.map((delta) => chunk({ delta, finish_reason: null })),
      chunk({ delta: { content: '' }, finish_reason: finish(turn) }, { usage }),
      'data: [DONE]\n\n',
    ]
  },
})

const thinking = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] })

/** Mistral writes thoughts as parts of the content. The mock does not speak it. */
export const mistral: Format = format({
  message: ({ reasoning, text = '' }) => ({
    content: reasoning === undefined ? text : [thinking(reasoning), ...(text === '' ? [] : [{ type: 'text', text }])],
  }),
  deltas: ({ reasoning = '', text = '' }) => [
    ...pieces(reasoning).map((piece) => ({ content: [thinking(piece)] })),
    ...pieces(text).map((content) => ({ content })),
  ],
  call: () => ({}),
})

/** Gemini behind OpenAI's protocol: the first call of an answer is sealed. */
export const sealedCalls: Format = format({
  message: ({ text }) => ({ content: text ?? null }),
  deltas: ({ text = '' }) => pieces(text).map((content) => ({ content })),
  call: ({ signature }, index) => (index === 0 ? { extra_content: { google: { thought_signature: signature } } } : {}),
})

/** Chat Completions as OpenAI writes them, with nothing added. */
export const plainChat: Format = format({
  message: ({ text }) => ({ content: text ?? null }),
  deltas: ({ text = '' }) => pieces(text).map((content) => ({ content })),
  call: () => ({}),
})
