import { maxResultBytes } from './prompt.ts'

/** What fits into a model's context window. */
export interface Window {
  contextTokens: number
  /** What prompt and tools may take together, in tokens: the rest is for the answer. */
  promptTokens: number
  /** Their limit in bytes after the provider rejected a longer prompt; absent if it did not. */
  promptBytes?: number
  /** How much of one result the model sees, in bytes. */
  resultBytes: number
}

/** Providers count the answer into the window. Where its limit is theirs, it is a third of the window or less. */
const usualAnswer = 1 / 3

/** An answer's limit may be as long as the window or longer; providers then end the answer where the window ends. */
const longestAnswer = 1 / 2

/** How much of one result is shown to a model with a small window: a quarter of it, at three bytes a token. */
const resultBytesPerToken = 3 / 4

/** @param maxOutputTokens the longest answer that the model is asked for; null if that is left to its provider */
export function windowOf(contextTokens: number, maxOutputTokens: number | null): Window {
  const answer = Math.floor(Math.min(maxOutputTokens ?? contextTokens * usualAnswer, contextTokens * longestAnswer))
  return {
    contextTokens,
    promptTokens: contextTokens - answer,
    resultBytes: Math.min(maxResultBytes, Math.floor(contextTokens * resultBytesPerToken)),
  }
}
