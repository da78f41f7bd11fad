import type { LanguageModelV4Prompt } from '@ai-sdk/provider'

/** Runs of so many characters are looked for. Every common run of 23 characters has one of them. */
const length = 16
const distance = 8

/**
 * Whether a provider's sentence repeats a part of the prompt that it refuses, of 23 characters at least. Such a sentence
 * is not logged: prompts are not.
 */
export function quotesPrompt(sentence: string, prompt: LanguageModelV4Prompt): boolean {
  // Quotation marks and line breaks are escaped in one of them only, and what is between them is not.
  const sent = JSON.stringify(prompt)
  for (let at = 0; at + length <= sentence.length; at += distance) {
    if (sent.includes(sentence.slice(at, at + length))) return true
  }
  return false
}
