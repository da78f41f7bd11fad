import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai'
import { readArguments } from './arguments.ts'
import { fence } from './fence.ts'
import {
  headersSentence,
  missingReasons,
  missingSentence,
  outcomeSentences,
  payloadSentence,
  schemaSentence,
  standingRules,
  triggerSentences,
  type OutcomeStatus,
  type Trigger,
} from './prompt-format.ts'

export interface TranscriptCall {
  id: string
  /** The provider-safe name. */
  name: string
  /** JSON text. */
  arguments: string
  /** `bytes` is the length of the whole result if the text is only its beginning. */
  outcome: { status: OutcomeStatus; text: string; bytes?: number | undefined }
}

interface SchemaField {
  name: string
  type: string
  required: boolean
  description?: string | undefined
}

interface MissingSite {
  name: string
  origin: string
  reason: keyof typeof missingReasons
}

/** What a run has done so far, from its record. */
export interface Transcript {
  systemPrompt: string
  trigger: Trigger
  /** The payload as received, or undefined. */
  payload?: string | undefined
  /** What its sender said about it. */
  headers?: Record<string, string> | undefined
  schema?: SchemaField[] | undefined
  /** Sites that the owner gave to the agent, and that it cannot use now. */
  missingSites?: MissingSite[] | undefined
  steps: { text: string; calls: TranscriptCall[] }[]
}

/** Longer results, in bytes of UTF-8, are cut for the model; the record keeps all. */
export const maxResultBytes = 32 * 1024
/** Enough for a model to see what was wrong with unreadable arguments. */
const maxInvalidCharacters = 1000

/**
 * Writes the prompt of a run's next step. Payload and tool results are fenced and labelled as data, so that no text
 * from outside can pass for an instruction or leave its place. The same transcript gives the same prompt.
 */
export function buildPrompt(transcript: Transcript): { instructions: string; messages: ModelMessage[] } {
  return {
    instructions: [transcript.systemPrompt, standingRules].filter(Boolean).join('\n\n'),
    messages: [{ role: 'user', content: opening(transcript) }, ...transcript.steps.flatMap(stepMessages)],
  }
}

function opening({ trigger, missingSites, schema, headers, payload }: Transcript): string {
  const missing = missingSites?.length ? `${missingSentence}\n${fence('untrusted sites', sitesText(missingSites))}` : ''
  const fields = schema?.length ? `${schemaSentence}\n${fence('schema', JSON.stringify(schema, undefined, 1))}` : ''
  const data = payload === undefined ? '' : `${payloadSentence}\n${fence('untrusted payload', payload)}`
  const said = headers ? `${headersSentence}\n${fence('untrusted headers', linesOf(headers))}` : ''
  return [triggerSentences[trigger], missing, fields, said, data].filter(Boolean).join('\n\n')
}

const sitesText = (sites: MissingSite[]): string =>
  sites.map(({ name, origin, reason }) => `${JSON.stringify(name)} (${origin}): ${missingReasons[reason]}`).join('\n')

const linesOf = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

/** A step without text and calls is left out: providers refuse empty messages. */
function stepMessages({ text, calls }: Transcript['steps'][number]): ModelMessage[] {
  const said = text === '' ? [] : [{ type: 'text' as const, text }]
  const assistant: AssistantModelMessage = { role: 'assistant', content: [...said, ...calls.map(callPart)] }
  const tool: ToolModelMessage = { role: 'tool', content: calls.map(resultPart) }
  return [assistant, tool].filter(({ content }) => content.length > 0)
}

/** Providers require an object, so other arguments are wrapped in one. */
function callPart({ id, name, arguments: text }: TranscriptCall) {
  const input = readArguments(text) ?? { unreadableArguments: text.slice(0, maxInvalidCharacters).toWellFormed() }
  return { type: 'tool-call' as const, toolCallId: id, toolName: name, input }
}

function resultPart({ id, name, outcome }: TranscriptCall) {
  const type = outcome.status === 'succeeded' ? ('text' as const) : ('error-text' as const)
  const { text, note } = cut(outcome.text, outcome.bytes)
  const value = [outcomeSentences[outcome.status], note, fence('untrusted result', text)].filter(Boolean).join('\n')
  return { type: 'tool-result' as const, toolCallId: id, toolName: name, output: { type, value } }
}

/** Cuts between characters: a byte 10xxxxxx continues the character before it (RFC 3629, section 3). */
function cut(text: string, total?: number): { text: string; note: string } {
  // One character more than could fit, so that the last one inside is whole.
  const bytes = Buffer.from(text.slice(0, maxResultBytes + 1))
  if (bytes.length <= maxResultBytes) return { text, note: '' }
  let end = maxResultBytes
  while (((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1
  return {
    text: bytes.subarray(0, end).toString(),
    note: `It is ${total ?? Buffer.byteLength(text)} bytes long, and only the first ${end} bytes follow.`,
  }
}
