import { isObject } from '../json.ts'
import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { parse } from './arguments.ts'
import { bytesOf } from './prompt-size.ts'
import { readUsage, type Usage } from './usage.ts'

interface Form {
  input: string
  output: string[]
  cached: string[]
  written?: string
  /** Whether `input` excludes cached tokens. */
  cacheIsBeside?: boolean
  /** A member that distinguishes it from another form with the same names. */
  sign?: string
}

const forms: Form[] = [
  { input: 'prompt_tokens', output: ['completion_tokens'], cached: ['prompt_tokens_details', 'cached_tokens'] },
  {
    input: 'promptTokenCount',
    output: ['candidatesTokenCount', 'thoughtsTokenCount'],
    cached: ['cachedContentTokenCount'],
  },
  {
    input: 'inputTokens',
    output: ['outputTokens'],
    cached: ['cacheReadInputTokens'],
    written: 'cacheWriteInputTokens',
    cacheIsBeside: true,
  },
  {
    sign: 'input_tokens_details',
    input: 'input_tokens',
    output: ['output_tokens'],
    cached: ['input_tokens_details', 'cached_tokens'],
  },
  {
    input: 'input_tokens',
    output: ['output_tokens'],
    cached: ['cache_read_input_tokens'],
    written: 'cache_creation_input_tokens',
    cacheIsBeside: true,
  },
]

/** The place of that object in a stream's event: Chat Completions, Anthropic, Responses, Google and Bedrock. */
const places = [['usage'], ['message', 'usage'], ['response', 'usage'], ['usageMetadata'], ['metadata', 'usage']]

/**
 * Tracks the usage that a provider states. Adapters report it only at the end of an answer. If the end never comes,
 * earlier statements count, because the provider bills them.
 */
export function createStatedUsage() {
  let atEnd: Usage | undefined
  let stated: Record<string, unknown> = {}
  let characters = 0

  return {
    note(part: LanguageModelV4StreamPart): void {
      if (part.type === 'finish') atEnd = readUsage(part.usage)
      if ('delta' in part) characters += part.delta.length
      // Later events repeat some counts and omit others.
      if (part.type === 'raw') stated = { ...stated, ...usageIn(part.rawValue) }
    },
    noteBody(body: string): void {
      if (body.length > maxBody) return
      for (const event of eventsIn(body)) stated = { ...stated, ...usageIn(event) }
    },

    /** Undefined until it is complete. */
    usage: (): Usage | undefined => atEnd ?? read(stated),

    /**
     * The usage of an abandoned answer: the counts stated so far, and at least the text written since. Without a
     * statement, it is estimated. Undefined if nothing arrived, because the model may not have started.
     *
     * @param promptBytes the size of the prompt as JSON
     */
    soFar(promptBytes: () => number): Usage | undefined {
      const known = atEnd ?? read(stated)
      if (!known && characters === 0) return undefined
      const { outputTokens, ...rest } = known ?? { ...noCache, inputTokens: tokensOf(promptBytes()), outputTokens: 0 }
      return { ...rest, outputTokens: Math.max(outputTokens, tokensOf(characters)) }
    },
  }
}

/** Estimates the usage of a request and its answer from their lengths, without the cache. */
export function estimatedUsage(
  { prompt, tools }: { prompt: unknown; tools: unknown },
  content: LanguageModelV4Content[],
): Usage {
  const characters = content.reduce((sum, part) => sum + lengthOf(part), 0)
  return { ...noCache, inputTokens: tokensOf(bytesOf(prompt) + bytesOf(tools)), outputTokens: tokensOf(characters) }
}

function lengthOf(part: LanguageModelV4Content): number {
  if (part.type === 'tool-call') return part.input.length
  return part.type === 'text' || part.type === 'reasoning' ? part.text.length : 0
}

/** The body of a failed answer is read whole. */
const maxBody = 1024 * 1024

const noCache = { cachedTokens: 0, cacheWriteTokens: 0 }

/** A token is about four characters of ordinary text. */
const tokensOf = (characters: number): number => Math.ceil(characters / 4)

/** The JSON values in a body: the whole body, or the data of its events (HTML, 9.2). */
function eventsIn(body: string): unknown[] {
  const whole = parse(body)
  if (whole !== undefined) return [whole]
  return [...body.matchAll(/^data:(.*)$/gm)].map(([, data = '']) => parse(data))
}

export type StatedUsage = ReturnType<typeof createStatedUsage>

function usageIn(event: unknown): Record<string, unknown> | undefined {
  for (const place of places) {
    const found = at(event, place)
    if (isObject(found)) return found
  }
  return undefined
}

function read(stated: Record<string, unknown>): Usage | undefined {
  const form = forms.find(({ input, sign = input }) => input in stated && sign in stated)
  if (!form) return undefined
  const { output, cached, written, cacheIsBeside = false } = form
  const input = count(stated[form.input])
  const cacheRead = count(at(stated, cached)) ?? 0
  const cacheWrite = (written === undefined ? undefined : count(stated[written])) ?? 0
  const total = cacheIsBeside && input !== undefined ? input + cacheRead + cacheWrite : input
  const answered = output.map((name) => count(stated[name]))
  return readUsage({
    inputTokens: { total, noCache: undefined, cacheRead, cacheWrite },
    outputTokens: {
      total: answered[0] === undefined ? undefined : answered.reduce<number>((sum, one) => sum + (one ?? 0), 0),
      text: undefined,
      reasoning: undefined,
    },
  })
}

const at = (value: unknown, [name, ...rest]: string[]): unknown =>
  name === undefined ? value : isObject(value) ? at(value[name], rest) : undefined

const count = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
