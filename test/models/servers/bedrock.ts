import { encodeEventStreamMessage } from '@copilotkit/aimock'
import { used, type Turn } from '../turns.ts'
import { argsOf } from './google.ts'
import { pieces, type Format } from './scripted.ts'

const usage = {
  inputTokens: used.input - used.cached,
  outputTokens: used.output,
  totalTokens: used.input + used.output,
  cacheReadInputTokens: used.cached,
  cacheWriteInputTokens: 0,
}
const stopReason = ({ calls }: Turn) => (calls ? 'tool_use' : 'end_turn')

function contentOf({ reasoning, signature, text, calls = [] }: Turn): object[] {
  return [
    ...(reasoning === undefined ? [] : [{ reasoningContent: { reasoningText: { text: reasoning, signature } } }]),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ id, name, arguments: text }) => ({ toolUse: { toolUseId: id, name, input: argsOf(text) } })),
  ]
}

type Deltas = { start?: object; deltas: object[] }

const blocksOf = ({ reasoning, signature, text, calls = [] }: Turn): Deltas[] => [
  ...(reasoning === undefined
    ? []
    : [
        {
          deltas: [...pieces(reasoning).map((text) => ({ text })), { signature }].map((reasoningContent) => ({
            reasoningContent,
          })),
        },
      ]),
  ...(text === undefined ? [] : [{ deltas: [{ text }] }]),
  ...calls.map(({ id, name, arguments: input }) => ({
    start: { toolUse: { toolUseId: id, name } },
    deltas: pieces(input).map((piece) => ({ toolUse: { input: piece } })),
  })),
]

const frame = (type: string, payload: object): Uint8Array => encodeEventStreamMessage(type, payload)

/** Bedrock's Converse with signed reasoning, which the mock leaves unsigned. */
export const bedrock: Format = {
  streams: (path) => path.endsWith('/converse-stream'),
  whole: (turn) => ({
    output: { message: { role: 'assistant', content: contentOf(turn) } },
    stopReason: stopReason(turn),
    usage,
    metrics: { latencyMs: 1 },
  }),
  type: 'application/vnd.amazon.eventstream',
  stream: (turn) => [
    frame('messageStart', { role: 'assistant' }),
    ...blocksOf(turn).flatMap(({ start, deltas }, contentBlockIndex) => [
      ...(start ? [frame('contentBlockStart', { contentBlockIndex, start })] : []),
      ...deltas.map((delta) => frame('contentBlockDelta', { contentBlockIndex, delta })),
      frame('contentBlockStop', { contentBlockIndex }),
    ]),
    frame('messageStop', { stopReason: stopReason(turn) }),
    frame('metadata', { usage, metrics: { latencyMs: 1 } }),
  ],
}
