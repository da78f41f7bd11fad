import type { LanguageModelV4Prompt } from '@ai-sdk/provider'

/** The length of the compared substrings. Every common substring of 23 characters contains one of them. */
const length = 16
const distance = 8

/**
 * Whether a provider's message repeats at least 23 characters of the refused prompt. Such a message is not logged,
 * because prompts are not.
 */
export function quotesPrompt(sentence: string, prompt: LanguageModelV4Prompt): boolean {
  // Only one side escapes quotation marks and line breaks. The text between them is the same.
  const sent = JSON.stringify(prompt)
  for (let at = 0; at + length <= sentence.length; at += distance) {
    if (sent.includes(sentence.slice(at, at + length))) return true
  }
  return false
}
