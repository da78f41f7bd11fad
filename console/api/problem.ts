import type { Api } from './client.ts'

/** A refusal by the API, or the lack of an answer. */
export interface Problem {
  /** `OFFLINE` if no answer came. */
  code: Api['ErrorCode'] | 'OFFLINE'
  sentence: string
  details: { path: string; message: string }[]
}

const offline: Problem = {
  code: 'OFFLINE',
  sentence: 'Switchyard cannot be reached. Your input is kept; try again when the connection is back.',
  details: [],
}

/** What a query or a mutation failed with. */
export function problemOf(error: unknown): Problem {
  const { code, error: sentence, details } = (error ?? {}) as Partial<Api['Error']>
  if (typeof code !== 'string' || typeof sentence !== 'string') return offline
  return { code, sentence, details: details ?? [] }
}

/** The sentence about one member of a form, if the API refused it. */
export const detailOf = (error: unknown, path: string): string | undefined =>
  error ? problemOf(error).details.find((detail) => detail.path === path)?.message : undefined

/** Whether a repetition may succeed without a change. */
export const isPassing = (error: unknown): boolean =>
  ['OFFLINE', 'INTERNAL_ERROR', 'RATE_LIMITED'].includes(problemOf(error).code)
