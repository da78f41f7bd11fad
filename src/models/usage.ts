import type { LanguageModelV4Usage } from '@ai-sdk/provider'

/** The tokens of one model call. */
export interface Usage {
  /** All that the model read, from the cache or not. */
  inputTokens: number
  /** The part of them that the provider had in its cache. */
  cachedTokens: number
  /** The part of them that the provider put into its cache. */
  cacheWriteTokens: number
  outputTokens: number
}

/** The usage that an answer states; undefined if it states none that could be charged. A prompt is never empty. */
export function readUsage(usage: LanguageModelV4Usage | undefined): Usage | undefined {
  const { total: inputTokens, cacheRead, cacheWrite } = usage?.inputTokens ?? {}
  const outputTokens = usage?.outputTokens?.total
  if (!isCount(inputTokens) || inputTokens === 0 || !isCount(outputTokens)) return undefined
  const cachedTokens = Math.min(countOr0(cacheRead), inputTokens)
  const cacheWriteTokens = Math.min(countOr0(cacheWrite), inputTokens - cachedTokens)
  return { inputTokens, cachedTokens, cacheWriteTokens, outputTokens }
}

/** Far more than any model accepts. The counts of a run must fit into their columns. */
const most = 100_000_000

const isCount = (count: number | undefined): count is number =>
  Number.isSafeInteger(count) && Number(count) >= 0 && Number(count) <= most

const countOr0 = (count: number | undefined): number => (isCount(count) ? count : 0)
