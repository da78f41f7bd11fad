import { isObject } from '../../json.ts'
import { quotedName } from '../../names.ts'
import { kindOf, membersIn } from './answer-members.ts'

/**
 * A successful token answer that cannot be used. The message names the member, quotes no token, and is the end of a
 * sentence about the answer.
 */
export class UnusableTokenAnswer extends Error {
  /** The next refresh token, if the answer has one. The previous one is used up. */
  readonly refreshToken: string | undefined

  constructor(message: string, refreshToken?: string) {
    super(message)
    this.refreshToken = refreshToken
  }
}

/**
 * A token response in the form that the library reads. A success has consumed a code or token, so any 2xx counts, and
 * malformed members that are not needed count as absent. Throws UnusableTokenAnswer.
 */
export async function readableTokenAnswer(
  response: Response,
  { wantsIdToken = false, isForeign = false } = {},
): Promise<Response> {
  const { status, headers } = response
  const read = membersIn(new Uint8Array(await response.arrayBuffer()))
  if (!response.ok) return refusal('members' in read ? intendedMembers(read.members) : {}, { status, headers })
  if ('instead' in read) throw new UnusableTokenAnswer(`it is ${read.instead} (status ${status})`)
  const members = intendedMembers(read.members)
  // Some servers refuse with the status 200.
  if (textIn(members.error) !== undefined && !hasToken(members)) return refusal(members, { status: 400, headers })
  return Response.json(normalized(wantsIdToken ? members : { ...members, id_token: undefined }, isForeign))
}

const wanted = ['access_token', 'token_type', 'refresh_token', 'expires_in', 'scope', 'id_token'] as const
const errorMembers = ['error', 'error_description'] as const
type Members = Partial<Record<(typeof wanted)[number] | (typeof errorMembers)[number], unknown>>

/**
 * The members that are read. If the exact name is missing, its other spelling counts (`accessToken`). If the token is
 * missing, the members of the one inner object with a token count (`data`).
 */
function intendedMembers(given: Record<string, unknown>): Members {
  const members = bySpelling(given)
  if (hasToken(members) && hasNext(members)) return members
  // An access token in an inner object has its own refresh token.
  const hasRest = (one: Members) => (hasToken(members) ? hasNext(one) && !hasToken(one) : hasToken(one))
  const inside = Object.values(given).filter(isObject).map(bySpelling).filter(hasRest)
  const [one] = inside
  if (!one || inside.length > 1) return members
  const [near, far] = hasToken(members) ? [members, one] : [one, members]
  return { ...far, ...near, refresh_token: (hasNext(near) ? near : far).refresh_token }
}

const hasNext = ({ refresh_token: token }: Members): boolean => textIn(token) !== undefined

const hasToken = ({ access_token: token }: Members): boolean => textIn(token) !== undefined

function bySpelling(given: Record<string, unknown>): Members {
  const names = Object.keys(given).filter((name) => given[name] !== null)
  const found = [...wanted, ...errorMembers].flatMap((name): [string, unknown][] => {
    const others = names.filter((other) => plainName(other) === plainName(name))
    const isOne = new Set(others.map((other) => given[other])).size === 1
    const one = names.includes(name) ? name : isOne ? others[0] : undefined
    return one === undefined ? [] : [[name, given[one]]]
  })
  return Object.fromEntries(found)
}

const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[_\s-]/g, '')
    .replace(/^scopes$/, 'scope')

function refusal(
  { error, error_description: description }: Members,
  { status, headers: given }: Pick<Response, 'status' | 'headers'>,
) {
  const headers = new Headers(given)
  for (const name of ['www-authenticate', 'content-length', 'content-encoding']) headers.delete(name)
  headers.set('content-type', 'application/json')
  const body = JSON.stringify({ error: textIn(error), error_description: textIn(description) })
  return new Response(status === 304 ? null : body, { status, headers })
}

function normalized(members: Members, isForeign: boolean): Record<string, unknown> {
  const refreshToken = textIn(members.refresh_token)
  const [idToken, seconds, scope] = [
    textIn(members.id_token),
    secondsIn(members.expires_in),
    scopeIn(members.scope, isForeign),
  ]
  return {
    access_token: accessTokenIn(members, refreshToken),
    token_type: tokenTypeIn(members.token_type, refreshToken),
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(seconds !== undefined && { expires_in: seconds }),
    ...(scope !== undefined && { scope }),
    ...(idToken !== undefined && { id_token: idToken }),
  }
}

/** A trimmed, non-empty string. Tokens contain no white space. */
const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

/** An access token is sent in a header, so it must be visible ASCII (RFC 6750, 2.1 and RFC 6749, A.12). */
const sendable = /^[\x21-\x7e]{1,8192}$/

function accessTokenIn({ access_token: given }: Members, refreshToken: string | undefined): string {
  const token = textIn(given)?.replace(/^bearer\s+/i, '')
  if (token !== undefined && sendable.test(token)) return token
  const tooOdd = 'contains a character that cannot be sent in a header, or has more than 8192 characters'
  const problem = token === undefined ? `is ${kindOf(given)}` : tooOdd
  throw new UnusableTokenAnswer(`\`access_token\` ${problem}`, refreshToken)
}

/** Absent or malformed means Bearer, the only type that is requested. Slack puts the token's owner here. */
function tokenTypeIn(given: unknown, refreshToken: string | undefined): 'Bearer' {
  const only = Array.isArray(given) && given.length === 1 ? textIn(given[0]) : textIn(given)
  if (only === undefined || /^(bearer([\s_-]?token)?|user|bot)$/i.test(only)) return 'Bearer'
  const words = quotedName(only, mostShown)
  throw new UnusableTokenAnswer(`\`token_type\` is ${words}, and only Bearer tokens are supported`, refreshToken)
}

/** A lifetime in seconds: a positive number, or one in decimal digits. */
function secondsIn(given: unknown): number | undefined {
  const isNumber = typeof given === 'number' || (typeof given === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(given))
  const seconds = isNumber ? Number(given) : 0
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
}

/**
 * The scope's words, with any separator. An empty one counts as absent: a scope has at least one word (RFC 6749, 3.3).
 */
function scopeIn(given: unknown, isForeign: boolean): string | undefined {
  const texts = (Array.isArray(given) ? given : [given]).filter((one) => typeof one === 'string')
  // A foreign scope may have any sign but a space.
  if (isForeign) return texts.join(' ').trim() || undefined
  const words = texts.flatMap((text) => text.replaceAll(/%20|%2c/gi, ' ').match(/[^\s,;|+"'[\]]+/g) ?? [])
  return words.length > 0 ? words.join(' ') : undefined
}

const mostShown = 30
