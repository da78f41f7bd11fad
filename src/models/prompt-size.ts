import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { TranscriptCall } from './prompt.ts'
import { beginningOf } from '../text.ts'

/** A longer result is shortened to its first characters; a shorter one would hardly become shorter. */
export const shortening = { aboveBytes: 400, toCharacters: 300 }

export function shortenCall(call: TranscriptCall): TranscriptCall {
  const { text } = call.outcome
  if (call.outcome.shortened || Buffer.byteLength(text) <= shortening.aboveBytes) return call
  return { ...call, outcome: { ...call.outcome, text: beginningOf(text, shortening.toCharacters), shortened: true } }
}

const measured = new WeakMap<LanguageModelV4Message[], number>()

/** For messages that are cached, as those of a step are. */
export function bytesOnce(messages: LanguageModelV4Message[]): number {
  const bytes = measured.get(messages) ?? bytesOf(messages)
  measured.set(messages, bytes)
  return bytes
}

/** As JSON, the form in which prompts and tools are sent. */
export const bytesOf = (part: unknown): number => Buffer.byteLength(JSON.stringify(part))
