import type { Window } from '../models/context-window.ts'

/** For dense text, such as JSON with identifiers. Ordinary text has about four bytes per token. */
const usualBytesPerToken = 3
/** Outside these bounds, a provider's count means something else. */
const [fewest, most] = [1, 4]

/** The share of the prompt's room that stays free, because tokens are estimated. */
const reserve = 0.1

/** The bytes of JSON per token, from a step's prompt and the provider's count. */
export const measuredBytesPerToken = (promptBytes: number, inputTokens: number): number =>
  Math.min(Math.max(promptBytes / Math.max(inputTokens, 1), fewest), most)

/** The longest prompt in bytes, by its tokens and by the provider's earlier refusals. */
export const bytesFor = (
  { promptTokens, promptBytes = Infinity }: Pick<Window, 'promptTokens' | 'promptBytes'>,
  bytesPerToken: number | null,
): number => Math.min(promptBytes, Math.floor(promptTokens * (1 - reserve) * (bytesPerToken ?? usualBytesPerToken)))

export const tokensIn = (bytes: number, bytesPerToken: number | null): number =>
  Math.ceil(bytes / (bytesPerToken ?? usualBytesPerToken))

/** The sizes of a prompt that is too long, in tokens. */
export type Excess = Pick<Window, 'contextTokens' | 'promptTokens'> & { tokens: number }

/**
 * The sizes of a prompt that is too long even by the most generous estimate. A refusal must not be a mistake, and a
 * rejected prompt does not show how much the provider accepts, so the provider decides about the others.
 */
export function excessOf(
  bytes: number,
  { contextTokens, promptTokens }: Pick<Window, 'contextTokens' | 'promptTokens'>,
  bytesPerToken: number | null,
): Excess | undefined {
  if (bytes / (bytesPerToken ?? most) <= promptTokens) return undefined
  return { tokens: tokensIn(bytes, bytesPerToken), contextTokens, promptTokens }
}
