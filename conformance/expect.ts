import { isDeepStrictEqual } from 'node:util'
import type { Answer, Json } from './client.ts'
import { ofToolCalls, statuses, withDetails, type Code } from './codes.ts'
import { Deviation } from './deviation.ts'

/** Throws a Deviation unless the condition holds. */
export function assert(condition: unknown, otherwise: string): asserts condition {
  if (!condition) throw new Deviation(otherwise)
}

export function assertSame(found: unknown, expected: unknown, what: string): void {
  assert(isDeepStrictEqual(found, expected), `${what} is ${shown(found)}, and not ${shown(expected)}`)
}

/** A value as one line of text, for messages. */
export const shown = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 160)

/** A response in a few words, without secrets. */
export const outcomeOf = ({ status, json, ms }: Answer): string =>
  [status, ...(typeof json['code'] === 'string' ? [json['code']] : []), `in ${Math.round(ms)} ms`].join(' ')

/** The body of a response that must have this status. */
export function accepted(answer: Answer, status = 200): Json {
  assert(answer.status === status, `${answer.asked} answered ${refusal(answer)}, and not ${status}`)
  return answer.json
}

const refusal = ({ status, json }: Answer): string =>
  [status, ...[json['code'], json['error']].filter((part) => typeof part === 'string')].join(' ')

/**
 * The evidence of a response that must be this error: status, body (docs/specification.md, "Platform error body") and
 * headers.
 */
export function refused(answer: Answer, code: Code): string {
  const { status, json, headers } = answer
  assert(json['code'] === code, `${answer.asked} answered ${refusal(answer)}, and not ${code}`)
  assertSame(status, statuses[code], `the status of ${code}`)
  assertError(json, code)
  assert(/^application\/json\b/.test(headers.get('content-type') ?? ''), 'the error is not sent as application/json')
  assert(headers.get('x-request-id'), 'X-Request-Id is missing')
  if (status === 401) assert(headers.get('www-authenticate'), 'WWW-Authenticate is missing')
  if (status === 429) assertRetryAfter(headers)
  return outcomeOf(answer)
}

/** Checks the members of an error's body in any place. */
export function assertError(body: Json, code: Code): void {
  const { error, statusCode, details, ...rest } = body
  assert(typeof error === 'string' && error.trim() !== '', '"error" is not a sentence')
  assertSame(rest['code'], code, '"code"')
  assertSame(statusCode, statuses[code], '"statusCode"')
  const facts = ofToolCalls.codes.includes(code) ? ofToolCalls.members : []
  const unknown = Object.keys(rest).filter((name) => name !== 'code' && !facts.includes(name))
  assertSame(unknown, [], 'the list of members that are not documented')
  if (withDetails.includes(code)) assertDetails(details)
  else assertSame(details, undefined, '"details" where no input is wrong')
}

function assertDetails(details: unknown): void {
  assert(Array.isArray(details) && details.length > 0, '"details" do not say what is wrong')
  for (const detail of details as Json[]) {
    assertSame(Object.keys(detail).toSorted(), ['message', 'path'], 'the members of a detail')
    assert(
      Object.values(detail).every((value) => typeof value === 'string'),
      'a detail is not made of texts',
    )
  }
}

function assertRetryAfter(headers: Headers): void {
  const seconds = headers.get('retry-after')
  assert(seconds !== null, 'Retry-After is missing')
  assert(/^[1-9]\d*$/.test(seconds), `Retry-After is ${shown(seconds)}, and not a number of seconds`)
}

export const pathsIn = ({ json }: Answer): string[] =>
  ((json['details'] as { path: string }[] | undefined) ?? []).map(({ path }) => path)
