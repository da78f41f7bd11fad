import type { Window } from './window.ts'

/** Dense text, such as JSON with identifiers. Ordinary text has about four bytes a token. */
const usualBytesPerToken = 3
/** Outside of these a provider's count is of something else. */
const [fewest, most] = [1, 4]

/** Part of the room for a prompt that is kept free, because tokens are estimated. */
const reserve = 0.1

/** How many bytes of JSON the model counts as a token, by the prompt of a step and what its provider counted. */
export const measuredBytesPerToken = (promptBytes: number, inputTokens: number): number =>
  Math.min(Math.max(promptBytes / Math.max(inputTokens, 1), fewest), most)

/** How long a prompt may be, in bytes: by its tokens, and by what its provider has refused before. */
export const bytesFor = (
  { promptTokens, promptBytes = Infinity }: Pick<Window, 'promptTokens' | 'promptBytes'>,
  bytesPerToken: number | null,
): number => Math.min(promptBytes, Math.floor(promptTokens * (1 - reserve) * (bytesPerToken ?? usualBytesPerToken)))

export const tokensIn = (bytes: number, bytesPerToken: number | null): number =>
  Math.ceil(bytes / (bytesPerToken ?? usualBytesPerToken))

/** Whether a prompt is too long even if the estimate is as careless as it may be: a refusal must not be a mistake. */
export const cannotFit = (bytes: number, promptTokens: number, bytesPerToken: number | null): boolean =>
  bytes / (bytesPerToken ?? most) > promptTokens
