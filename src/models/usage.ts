import type { LanguageModelV4Usage } from '@ai-sdk/provider'

export interface Usage {
  /** All tokens that the model read, cached or not. */
  inputTokens: number
  /** The tokens that the provider had cached. */
  cachedTokens: number
  /** The tokens that the provider wrote to its cache. */
  cacheWriteTokens: number
  outputTokens: number
}

/** The stated usage; undefined without chargeable counts. A prompt is never empty. */
export function readUsage(usage: LanguageModelV4Usage | undefined): Usage | undefined {
  const { total: inputTokens, cacheRead, cacheWrite } = usage?.inputTokens ?? {}
  const outputTokens = usage?.outputTokens?.total
  if (!isCount(inputTokens) || inputTokens === 0 || !isCount(outputTokens)) return undefined
  const cachedTokens = Math.min(countOr0(cacheRead), inputTokens)
  const cacheWriteTokens = Math.min(countOr0(cacheWrite), inputTokens - cachedTokens)
  return { inputTokens, cachedTokens, cacheWriteTokens, outputTokens }
}

/** Far above any model's limit. The counts of a run must fit into their columns. */
const most = 100_000_000

const isCount = (count: number | undefined): count is number =>
  Number.isSafeInteger(count) && Number(count) >= 0 && Number(count) <= most

const countOr0 = (count: number | undefined): number => (isCount(count) ? count : 0)
