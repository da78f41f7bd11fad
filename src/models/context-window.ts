import { maxResultBytes } from './prompt.ts'

export interface Window {
  contextTokens: number
  /** The maximum of prompt and tools, in tokens. The rest is for the answer. */
  promptTokens: number
  /** The maximum in bytes after the provider rejected a longer prompt; absent otherwise. */
  promptBytes?: number
  resultBytes: number
}

/** The answer counts into the window. If the provider limits it, it takes at most a third of the window. */
const usualAnswer = 1 / 3

/** A limit may reach or exceed the window. Providers then end the answer at the window's end. */
const longestAnswer = 1 / 2

/** The share of one result in a small window: a quarter, at three bytes per token. */
const resultBytesPerToken = 3 / 4

/** @param maxOutputTokens the longest requested answer; null leaves it to the provider */
export function windowOf(contextTokens: number, maxOutputTokens: number | null): Window {
  const answer = Math.floor(Math.min(maxOutputTokens ?? contextTokens * usualAnswer, contextTokens * longestAnswer))
  return {
    contextTokens,
    promptTokens: contextTokens - answer,
    resultBytes: Math.min(maxResultBytes, Math.floor(contextTokens * resultBytesPerToken)),
  }
}
