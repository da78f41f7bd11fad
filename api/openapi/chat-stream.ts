import type { ChatPart } from '../../src/chat/parts.ts'
import { chatPart, meaningsOfParts } from '../schemas/chat-part.ts'
import { exampleIds } from '../schemas/example-ids.ts'
import type { Json, Schemas } from './json-schema.ts'

/** The headers of streamed answers, as components. */
export const chatStreamHeaders = {
  'X-Vercel-AI-UI-Message-Stream': {
    description: 'Version of the AI SDK UI message stream. Sent only with streams.',
    schema: { type: 'string' },
    example: 'v1',
  },
  'X-Resumable-Stream-Id': {
    description: 'Id of the answer. Sent only with streams that can be resumed.',
    schema: { type: 'string' },
    example: exampleIds.answer,
  },
}

/**
 * The response of a streamed chat answer. OpenAPI 3.1 cannot describe streams: by
 * convention, the schema is that of one event.
 */
export function chatStreamOf(schemas: Schemas): Json & { content: Json } {
  const part = { contentMediaType: 'application/json', contentSchema: schemas.of(chatPart, 'output') }
  const data = {
    type: 'string',
    description: '`ChatPart` as JSON. The last event is `[DONE]`.',
    if: { const: '[DONE]' },
    else: part,
  }
  // No `type`, because the examples are whole streams.
  const schema = { description: 'Server-sent event', properties: { data }, required: ['data'] }
  const examples = refs('examples', Object.keys(chatStreamExamples))
  const headers = refs('headers', Object.keys(chatStreamHeaders))
  return { description, headers, content: { 'text/event-stream': { schema, examples } } }
}

/** Parts with several sentences end with a period already. */
const sentence = (meaning: string): string => (meaning.endsWith('.') ? meaning : `${meaning}.`)

const description = [
  'Answer. A stream consists of these parts, followed by `[DONE]`:\n',
  ...Object.entries(meaningsOfParts).map(([type, meaning]) => `- \`${type}\`: ${sentence(meaning)}`),
].join('\n')

const refs = (kind: string, names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]))

const sessionId = exampleIds.session
const call = { toolCallId: exampleIds.call, dynamic: true } as const
const approvalId = exampleIds.approval

const begins = (id: string, delta: string): ChatPart[] => [
  { type: 'start-step' },
  { type: 'text-start', id },
  { type: 'text-delta', id, delta },
  { type: 'text-end', id },
]
const start: ChatPart = {
  type: 'start',
  messageId: exampleIds.answer,
  messageMetadata: { sessionId, model: 'demo' },
}
const finish = (finishReason: 'stop' | 'tool-calls'): ChatPart => ({
  type: 'finish',
  finishReason,
  messageMetadata: {
    sessionId,
    model: 'demo',
    usage: { inputTokens: 610, cachedTokens: 512, outputTokens: 71 },
    credits: 2,
    costUsd: 0.0041,
  },
})

/** Complete answers, as lists of parts. */
export const transcripts: Record<string, ChatPart[]> = {
  ChatWithTool: [
    start,
    ...begins('step-1', 'I will look.'),
    { type: 'tool-input-available', ...call, toolName: 'search_issues', input: { text: 'export' } },
    {
      type: 'tool-output-available',
      ...call,
      output: { results: [{ id: 17, title: 'The export hangs', status: 'open' }] },
    },
    { type: 'finish-step' },
    ...begins('step-2', 'Issue 17 is open.'),
    { type: 'finish-step' },
    finish('stop'),
  ],
  ChatWithApproval: [
    start,
    ...begins('step-1', 'I will delete issue 17.'),
    { type: 'tool-input-available', ...call, toolName: 'delete_issue', input: { id: 17 } },
    { type: 'finish-step' },
    {
      type: 'data-approval',
      id: approvalId,
      data: {
        approvalId,
        toolCallId: call.toolCallId,
        site: 'https://tracker.example.com',
        tool: 'delete_issue',
        input: { id: 17 },
        argumentsHash: 'ba5952a08cb1775799511a8cf1acb9e6166217b623c4bb7e8e88e2f88a7c3257',
        expiresAt: '2026-11-24T14:15:03.120Z',
      },
    },
    finish('tool-calls'),
  ],
  ChatThatFails: [
    start,
    ...begins('step-1', 'I will look.').slice(0, -1),
    {
      type: 'data-error',
      data: { error: 'The AI provider returned an error.', code: 'MODEL_ERROR', statusCode: 502 },
      transient: true,
    },
    { type: 'error', errorText: 'The AI provider returned an error.' },
  ],
}

/** The same answers as streams, as components. */
export const chatStreamExamples: Json = Object.fromEntries(
  Object.entries(transcripts).map(([name, parts]) => {
    const events = [...parts.map((part) => JSON.stringify(part)), '[DONE]']
    return [name, { value: events.map((data) => `data: ${data}\n\n`).join('') }]
  }),
)
