import { isObject } from '../../json.ts'
import { plainNumber, readExactly } from '../../outputs/exact-json.ts'

/*
 * Chat Completions of servers that are merely compatible. Unambiguous variants are converted to the form that adapters
 * read, and unknown members are omitted. Unreadable parts stay unchanged: the adapter refuses them, and its error names
 * the member.
 */

export type Members = Record<string, unknown>

/** Longer texts are parsed without exact numbers, which is a hundred times faster. */
const maxExact = 64 * 1024

/** Parses JSON. Arguments that are objects keep the digits of their numbers. Throws a SyntaxError. */
export const readJson = (text: string): unknown =>
  text.length <= maxExact && /"arguments"\s*:\s*[{[]/.test(text) ? readExactly(text) : (JSON.parse(text) as unknown)

export function messageOf(given: Members): Members {
  const content = isRefusal(given) && !given['content'] ? given['refusal'] : given['content']
  const thoughts = [given['reasoning_content'], given['reasoning']].map(thoughtsOf).find(Boolean)
  return {
    ...(content !== undefined && { content: contentOf(content) }),
    ...(thoughts !== undefined && { reasoning_content: thoughts }),
  }
}

/** A model's refusal is in a separate member. */
export const isRefusal = ({ refusal }: Members): boolean => typeof refusal === 'string' && refusal !== ''

function contentOf(content: unknown): unknown {
  const parts = isObject(content) && isPart(content) ? [content] : content
  return Array.isArray(parts) ? parts.flatMap(partOf) : parts
}

const isPart = (value: Members): boolean => 'text' in value || 'thinking' in value

function partOf(part: unknown): unknown[] {
  if (typeof part === 'string') return [{ type: 'text', text: part }]
  if (part === null) return []
  if (!isObject(part)) return [part]
  const { type, text, thinking } = part
  if (thinking !== undefined)
    return [{ type: 'thinking', thinking: [{ type: 'text', text: thoughtsOf(thinking) ?? '' }] }]
  return typeof type !== 'string' || type.endsWith('text') ? [{ type: 'text', text }] : []
}

/** The text of thoughts; undefined if there is none. Unreadable thoughts do not invalidate an answer. */
function thoughtsOf(given: unknown): string | undefined {
  if (typeof given === 'string') return given
  if (Array.isArray(given)) return given.map((part) => thoughtsOf(part) ?? '').join('')
  return isObject(given) && typeof given['text'] === 'string' ? given['text'] : undefined
}

export interface WireCall {
  index: number | undefined
  id: string | undefined
  name: unknown
  arguments: string | undefined
  extra: unknown
}

/** The calls of a message, or of a piece of one; undefined if the list is unreadable. */
export function callsOf({ tool_calls: given, function_call: legacy }: Members): WireCall[] | undefined {
  const list = isObject(given) ? [given] : (given ?? [])
  if (!Array.isArray(list)) return undefined
  const calls = list.filter((call) => call !== null)
  const all = calls.length === 0 && isObject(legacy) ? [{ index: 0, function: legacy }] : calls
  return all.every(isObject) ? all.map(callOf) : undefined
}

function callOf(call: Members): WireCall {
  const inner = isObject(call['function']) ? call['function'] : call
  const index = numberOf(call['index'])
  const id = plainNumber(call['id'])
  return {
    index: Number.isInteger(index) ? index : undefined,
    id: typeof id === 'number' ? `${id}` : typeof id === 'string' && id !== '' ? id : undefined,
    name: inner['name'],
    arguments: argumentsOf(inner['arguments'] ?? inner['parameters']),
    extra: call['extra_content'],
  }
}

const argumentsOf = (given: unknown): string | undefined =>
  given === undefined || given === null || typeof given === 'string' ? (given ?? undefined) : JSON.stringify(given)

function numberOf(value: unknown): number | undefined {
  const plain = plainNumber(value)
  const isText = typeof plain === 'string' && /^\s*-?\d{1,15}(\.\d+)?\s*$/.test(plain)
  const number = isText ? Number(plain) : plain
  return typeof number === 'number' ? number : undefined
}

/** The end word of a choice; undefined if it has not ended, or without an end word. */
export function endWordOf(given: unknown): string | undefined {
  const word = plainNumber(given)
  if (word === undefined || word === null || word === '') return undefined
  if (typeof word === 'string') return word
  const type = isObject(word) ? (word['type'] ?? word['reason']) : undefined
  return typeof type === 'string' ? type : JSON.stringify(word)
}

/** The choice with this index, or else the first; undefined if there is none. */
export function choiceOf(choices: unknown, index: number | undefined): unknown {
  const list = (Array.isArray(choices) ? choices : [choices]).filter(
    (choice) => choice !== undefined && choice !== null,
  )
  const found = list.find((choice) => !isObject(choice) || (indexOf(choice) ?? index ?? 0) === (index ?? 0))
  return found ?? (index === undefined ? list[0] : undefined)
}

export const indexOf = (choice: Members): number | undefined => numberOf(choice['index'])

/** Names of token counts, the usual one first. */
const counts = {
  prompt_tokens: ['prompt_tokens', 'input_tokens', 'promptTokens', 'inputTokens', 'prompt_eval_count'],
  completion_tokens: ['completion_tokens', 'output_tokens', 'completionTokens', 'outputTokens', 'eval_count'],
  total_tokens: ['total_tokens', 'totalTokens'],
} as const

/** The usage in an answer or a piece of one; undefined if it is not stated. */
export function usageOf(answer: Members, choice: unknown): Members | undefined {
  const inner = isObject(choice) ? choice['usage'] : undefined
  const groq = isObject(answer['x_groq']) ? answer['x_groq']['usage'] : undefined
  const given = [answer['usage'], inner, groq].find(isObject)
  return given && countsOf(given)
}

function countsOf(given: Members): Members {
  const { completion_tokens_details: written } = given
  const count = (name: keyof typeof counts) =>
    counts[name].map((one) => wholeOf(given[one])).find((one) => one !== undefined)
  const [input, total] = [count('prompt_tokens'), count('total_tokens')]
  const rest = input !== undefined && total !== undefined ? Math.max(total - input, 0) : undefined
  // Zero if missing. The written text then counts instead.
  const output = count('completion_tokens') ?? rest ?? (input === undefined ? undefined : 0)
  const details = [given['prompt_tokens_details'], given['prompt_token_details']].find(isObject)
  const cached = wholeOf(details?.['cached_tokens'] ?? given['num_cached_tokens'] ?? given['prompt_cache_hit_tokens'])
  const reasoning = wholeOf(isObject(written) ? written['reasoning_tokens'] : undefined)
  return {
    ...(input !== undefined && { prompt_tokens: input }),
    ...(output !== undefined && { completion_tokens: output }),
    ...(input !== undefined && output !== undefined && { total_tokens: input + output }),
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}

/** A fraction of a token counts as one. */
function wholeOf(value: unknown): number | undefined {
  const number = numberOf(value)
  return number !== undefined && number >= 0 ? Math.ceil(number) : undefined
}
