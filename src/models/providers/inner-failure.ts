import { isObject } from '../../json.ts'

export interface InnerFailure {
  /** The equivalent status; undefined if unknown. */
  status: number | undefined
  message: string
}

/** Members of an answer. A body with one of them is not a mere failure report. */
const answers = ['choices', 'usage', 'content', 'output', 'candidates', 'usageMetadata']

/** The members with the message of a report without `error`. */
const words = ['detail', 'message', 'msg', 'error_msg', 'errors']

export function failureIn(value: unknown): InnerFailure | undefined {
  if (!isObject(value)) return undefined
  const { error } = value
  const isError = error !== undefined && error !== null && error !== false && error !== ''
  if (isError) return failureOf([...(isObject(error) ? [error] : [{ message: error }]), value])
  const isFlat = value['object'] === 'error' || value['type'] === 'error'
  const isReport = !answers.some((name) => name in value) && words.some((name) => isSaid(value[name]))
  return isFlat || isReport ? failureOf([value]) : undefined
}

/** A `message` that is an object belongs to an answer. */
const isSaid = (value: unknown): boolean => (typeof value === 'string' && value !== '') || Array.isArray(value)

/** @param said from the inside to the outside */
const failureOf = (objects: Record<string, unknown>[]): InnerFailure => ({
  status: firstOf(objects, numbers, statusOfNumber) ?? firstOf(objects, codes, statusOfText),
  message: firstOf(objects, words, textOf) ?? 'no words',
})

function firstOf<T>(
  objects: Record<string, unknown>[],
  names: string[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const one of objects) {
    for (const name of names) {
      const found = read(one[name])
      if (found !== undefined) return found
    }
  }
  return undefined
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : isSaid(value) ? JSON.stringify(value) : undefined

const numbers = ['code', 'status', 'status_code', 'statusCode', 'http_code', 'http_status']

function statusOfNumber(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\s*\d{3}\s*$/.test(value) ? Number(value) : value
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined
}

const codes = ['code', 'type', 'error_type', 'status', 'name']

/** Patterns for providers' codes, the most specific first. */
const statuses: [pattern: RegExp, status: number][] = [
  [/rate_?limit|too_many|exhausted|throttl|insufficient_quota|quota_exceeded|slow_down/, 429],
  [/payment|billing|insufficient_(balance|credit|fund)/, 402],
  [/api_?key|authenticat|unauthori[sz]ed|invalid_token|invalid_credential/, 401],
  [/permission|forbidden|access_denied/, 403],
  [/not_found|unknown_model|no_such_model/, 404],
  [/overload/, 529],
  [/unavailable|capacity|loading/, 503],
  [/time_?d?_?out|deadline/, 504],
  [/server|internal|upstream|gateway|api_error/, 500],
  [/invalid|bad_?request|unsupported|context_length|too_l(ong|arge)|validation|content_(filter|policy)|exceed/, 400],
]

/** For example `rate_limit_exceeded`, `RateLimitError` or `RESOURCE_EXHAUSTED`. */
function statusOfText(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.slice(0, 100).replaceAll(/([a-z])([A-Z])/g, '$1_$2')
  const code = text.toLowerCase().replaceAll(/[\s.-]+/g, '_')
  return statuses.find(([pattern]) => pattern.test(code))?.[1]
}
