import { hideSecrets } from '../src/hiding/hiding.ts'

/** The most characters of a response to show. */
const mostShown = 80

/** Members whose values are secrets, also other parties' (RFC 6749, 5.1). */
const secretMembers = /("(?:access_token|refresh_token|id_token|code)"\s*:\s*")[^"]*/g

interface Response {
  status: number
  headers: Headers
  /** Undefined if the bytes are not UTF-8. */
  text: string | undefined
}

/**
 * Status, content type and beginning of a response, for a sentence: `answered with status 403 (text/html): <html>…`.
 * Known secrets and tokens in it are masked.
 */
export function evidenceOf({ status, headers, text }: Response, secrets: readonly string[]): string {
  const location = status >= 300 && status < 400 ? headers.get('location') : null
  const what = location === null ? `answered with status ${status}` : `redirected (${status}) to ${target(location)}`
  const type = headers.get('content-type') ?? 'no content type'
  return `${what} (${type})${bodyOf(text, secrets)}`
}

function bodyOf(text: string | undefined, secrets: readonly string[]): string {
  if (text === undefined) return ' with bytes that are not UTF-8'
  const plain = hideSecrets(secrets).text(text).replaceAll(secretMembers, '$1…').replaceAll(/\s+/g, ' ').trim()
  if (plain === '') return ' without a body'
  return `: ${plain.length > mostShown ? `${plain.slice(0, mostShown)}…` : plain}`
}

/** Without the query, which may contain a code. */
const target = (location: string): string => location.replace(/[?#].*/s, '').slice(0, 200)
