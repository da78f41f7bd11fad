import type { IncomingHttpHeaders } from 'node:http'

/** The supported codings of a body (RFC 9110, 8.4.1). */
export const readCodings = ['gzip', 'deflate', 'br'] as const

/** RFC 9110, 8.4.1.3. */
const otherNames: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' }

/**
 * The single coding of the body, in lowercase; `identity` for none. Undefined if there are several, or if it is not
 * supported.
 */
export function codingOf({ 'content-encoding': given = '' }: IncomingHttpHeaders): string | undefined {
  const members = given.split(',').map((member) => member.trim().toLowerCase())
  const [coding = 'identity', ...others] = members.filter((member) => member !== '' && member !== 'identity')
  const known = otherNames[coding] ?? coding
  const isRead = known === 'identity' || readCodings.some((one) => one === known)
  return isRead && others.length === 0 ? known : undefined
}

/** A semicolon should follow the type. A header that is sent twice is joined by a comma. */
const jsonType = /^\s*["']?(?:(?:application|text)\/(?:x-)?json|[\w.!#$&^-]+\/[\w.!#$&^-]+\+json)(?=$|[\s;,"'])/i

/** JSON is UTF-8 (RFC 8259, 8.1), whatever a header says. These charsets would have different bytes. */
const wideCharset = /charset\s*=\s*["']?\s*(utf-?(?:16|32)\w*|ucs-?[24]\w*)/i

/** Why a body of this media type cannot be read as JSON; undefined if it can. */
export function problemOfType(given: string): string | undefined {
  const found = given === '' ? 'has no Content-Type' : `has the Content-Type ${shown(given)}`
  if (!jsonType.test(given)) return found
  const [, charset] = wideCharset.exec(given) ?? []
  return charset === undefined
    ? undefined
    : `has the charset ${JSON.stringify(charset.slice(0, 20))}, but JSON must be UTF-8`
}

/**
 * A header value for quoting in a sentence. Long values with digits are not quoted: they may be keys in the wrong
 * header.
 */
export const shown = (value: string): string =>
  /^(?:[a-z][a-z+./;,= -]{0,99}|[\w+./;,= -]{1,20})$/i.test(value) ? JSON.stringify(value) : 'another value'
