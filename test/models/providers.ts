import { bedrock } from './servers/bedrock.ts'
import { mistral, sealedCalls } from './servers/chat.ts'
import { google } from './servers/google.ts'
import type { Format } from './servers/scripted.ts'
import { used, type Turn } from './turns.ts'

/** A provider of the contract: how it is configured, and what it wants back of an answer. */
export interface Provider {
  title: string
  kind: string
  /** Of the provider, besides the address and the key. */
  settings?: Record<string, unknown>
  /** Of the model, besides its name and its price. */
  model?: Record<string, unknown>
  path: string
  /** The provider's name for the model. */
  id: string
  /** Absent for those that the mock speaks. */
  format?: Format
  /** What a request brings back of the answers before it. */
  returned: (body: Record<string, unknown>) => unknown
  /** What it has to bring back of an answer. */
  wanted: (turn: Turn) => unknown[]
  /** The names of the tools in a request, in order. */
  tools: (body: Record<string, unknown>) => unknown
  cached: number
  /** Whether the text of a call's arguments goes back as it came; otherwise numbers are those of JavaScript. */
  keepsText?: boolean
}

/** One of the providers below. */
export function providerOf(title: string): Provider {
  const provider = providers.find((one) => one.title === title)
  if (!provider) throw new Error(`the contract has no provider ${title}`)
  return provider
}

/** Every value of a member, at any depth, in order. */
export function valuesOf(json: unknown, member: string): unknown[] {
  if (Array.isArray(json)) return json.flatMap((item) => valuesOf(item, member))
  if (typeof json !== 'object' || json === null) return []
  return Object.entries(json).flatMap(([key, value]) => [
    ...(key === member ? [value] : []),
    ...valuesOf(value, member),
  ])
}

/** Every text in a JSON value, in order. */
export function stringsIn(json: unknown): string[] {
  if (typeof json === 'string') return [json]
  return typeof json === 'object' && json !== null ? Object.values(json).flatMap(stringsIn) : []
}

interface ReasoningItem {
  type?: string
  id: string
  encrypted_content: string
  summary: unknown
}

/** The mock derives what it encrypts from the id of the item. */
const responses = {
  returned: ({ input }: Record<string, unknown>) =>
    (input as ReasoningItem[])
      .filter(({ type }) => type === 'reasoning')
      .map(({ id, encrypted_content: sealed, summary }) => ({
        isWhole: Buffer.from(sealed, 'base64').toString() === `aimock-encrypted-reasoning:${id}`,
        summary,
      })),
  wanted: ({ reasoning }: Turn) =>
    reasoning === undefined ? [] : [{ isWhole: true, summary: [{ type: 'summary_text', text: reasoning }] }],
  tools: ({ tools }: Record<string, unknown>) => valuesOf(tools, 'name'),
  cached: 0,
  keepsText: true,
}

const chat = {
  keepsText: true,
  tools: ({ tools }: Record<string, unknown>) => valuesOf(valuesOf(tools, 'function'), 'name'),
}

const blocks = (type: string[]) => (body: Record<string, unknown>) =>
  valuesOf(body['messages'], 'content')
    .flat()
    .filter((block) => type.includes((block as { type: string }).type))

const sealedBy = (member: string) => ({
  returned: (body: Record<string, unknown>) => valuesOf(body, member),
  wanted: ({ signature }: Turn) => (signature === undefined ? [] : [signature]),
})

export const providers: Provider[] = [
  { title: 'OpenAI (Responses)', kind: 'openai', path: '/v1', id: 'gpt-5-mini', ...responses },
  { title: 'Azure', kind: 'azure', path: '/openai/v1', id: 'gpt-5-mini', ...responses, keepsText: false },
  {
    title: 'Anthropic',
    kind: 'anthropic',
    path: '/v1',
    id: 'claude-sonnet-4-6',
    model: { maxOutputTokens: 8000, options: { thinking: { type: 'enabled', budgetTokens: 2000 } } },
    returned: blocks(['thinking', 'redacted_thinking']),
    wanted: ({ reasoning, signature }) =>
      reasoning === undefined
        ? []
        : [
            { type: 'redacted_thinking', data: `hidden ${signature}` },
            { type: 'thinking', thinking: reasoning, signature },
          ],
    tools: ({ tools }) => valuesOf(tools, 'name'),
    cached: 0,
  },
  {
    title: 'Google',
    kind: 'google',
    path: '/v1beta',
    id: 'gemini-2.5-flash',
    returned: (body) =>
      valuesOf(body['contents'], 'parts')
        .flat()
        .filter((part) => (part as { thought?: boolean }).thought),
    wanted: ({ reasoning }) => (reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
    tools: ({ tools }) => valuesOf(tools, 'name'),
    cached: 0,
  },
  {
    title: 'Google with thought signatures',
    kind: 'google',
    path: '/v1beta',
    id: 'gemini-3-pro-preview',
    format: google,
    ...sealedBy('thoughtSignature'),
    tools: ({ tools }) => valuesOf(tools, 'name'),
    cached: used.cached,
  },
  {
    title: 'Amazon Bedrock',
    kind: 'amazon-bedrock',
    settings: { region: 'eu-central-1' },
    path: '',
    id: 'us.amazon.nova-pro-v1:0',
    // The mock signs nothing here, and what is not signed must not go back.
    returned: (body) => valuesOf(body, 'reasoningContent'),
    wanted: () => [],
    tools: ({ toolConfig }) => valuesOf(toolConfig, 'name'),
    cached: 0,
  },
  {
    title: 'Amazon Bedrock with signed reasoning',
    kind: 'amazon-bedrock',
    settings: { region: 'eu-central-1' },
    path: '',
    id: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    format: bedrock,
    returned: (body) => valuesOf(body, 'reasoningText'),
    wanted: ({ reasoning, signature }) => (reasoning === undefined ? [] : [{ text: reasoning, signature }]),
    tools: ({ toolConfig }) => valuesOf(toolConfig, 'name'),
    cached: used.cached,
  },
  {
    title: 'OpenAI-compatible',
    kind: 'openai-compatible',
    path: '/v1',
    id: 'deepseek-reasoner',
    returned: (body) => valuesOf(body, 'reasoning_content'),
    wanted: ({ reasoning }) => (reasoning === undefined ? [] : [reasoning]),
    ...chat,
    cached: 0,
  },
  {
    title: 'OpenAI-compatible with thought signatures',
    kind: 'openai-compatible',
    path: '/v1',
    id: 'gemini-3-pro-preview',
    format: sealedCalls,
    ...sealedBy('thought_signature'),
    ...chat,
    cached: used.cached,
  },
  {
    title: 'Mistral',
    kind: 'mistral',
    path: '/v1',
    id: 'magistral-medium-latest',
    format: mistral,
    returned: (body) => valuesOf(valuesOf(body, 'thinking'), 'text'),
    wanted: ({ reasoning }) => (reasoning === undefined ? [] : [reasoning]),
    ...chat,
    cached: used.cached,
  },
]
