import { isObject } from '../../../../json.ts'
import { withoutHidden } from '../../../../names.ts'
import { shortened } from '../../../../text.ts'
import type { OAuthSite } from '../../../manifest.ts'
import { scopeWords } from '../../../scope-words.ts'
import { memberOf } from '../../../schema/schema-keywords.ts'
import type { CredentialPlace, DocumentToRead } from '../operation.ts'
import type { Documents, Place } from './documents.ts'
import { Unusable } from './documents.ts'
import { isOwnHeader, isHeaderName } from './headers.ts'
import { httpsAddress } from './servers.ts'

export type Auth = { type: 'none' } | { type: 'bearer'; credential: CredentialPlace } | OAuthSite

/** A way to sign in that the document describes, or why the platform cannot use it. */
export type Scheme = { auth: Exclude<Auth, { type: 'none' }> } | { problem: string }

/** Schemes of one document that are looked at. */
const maxSchemes = 50

/**
 * The schemes of a document by name (OpenAPI 3.1, 4.8.27). Relative addresses are resolved against `base`. One that is
 * in another document is looked up there if it is `needed`.
 */
export function schemesOf(
  { root, needed, base }: { root: Place; needed: ReadonlySet<string>; base: string },
  documents: Documents,
): Map<string, Scheme> {
  const given = memberOf(memberOf(root.value, 'components'), 'securitySchemes')
  const entries = isObject(given) ? Object.entries(given).slice(0, maxSchemes) : []
  return new Map(
    entries.map(([name, value]) => {
      const place = { value, document: root.document }
      const found = needed.has(name) ? documents.seek(place) : documents.peek(place)
      return [name, isObject(found?.value) ? schemeOf(found.value, base) : { problem: 'it is not described' }]
    }),
  )
}

function schemeOf(scheme: Record<string, unknown>, base: string): Scheme {
  const { type } = scheme
  if (type === 'http') return ofHttp(String(scheme['scheme']).toLowerCase())
  if (type === 'apiKey') return ofKey(scheme)
  if (type === 'oauth2') return ofOAuth(scheme['flows'], base)
  if (type === 'openIdConnect') return { problem: 'OpenID Connect is not supported' }
  return { problem: 'its type is not supported' }
}

const pasted = (credential: CredentialPlace): Scheme => ({ auth: { type: 'bearer', credential } })

function ofHttp(scheme: string): Scheme {
  if (scheme === 'bearer' || scheme === 'basic') return pasted({ scheme })
  return { problem: 'of the HTTP schemes, only bearer and basic are supported' }
}

function ofKey({ in: place, name }: Record<string, unknown>): Scheme {
  if (place === 'cookie') return { problem: 'keys in cookies are not supported' }
  if (place === 'query' && typeof name === 'string' && /^[!-~]{1,100}$/.test(name)) return pasted({ in: place, name })
  if (place !== 'header' || !isHeaderName(name)) return { problem: 'the name of its key cannot be used' }
  const isAuthorization = name.toLowerCase() === 'authorization'
  return isOwnHeader(name) && !isAuthorization ? { problem: 'its header cannot be set' } : pasted({ in: place, name })
}

/** A token of another flow than the code's is pasted: every access token is a bearer token (RFC 6750). */
function ofOAuth(flows: unknown, base: string): Scheme {
  const flow = memberOf(flows, 'authorizationCode')
  if (!isObject(flow)) return pasted({ scheme: 'bearer' })
  const authorization_url = httpsAddress(flow['authorizationUrl'], base)
  const token_url = httpsAddress(flow['tokenUrl'], base)
  if (authorization_url === undefined || token_url === undefined)
    return { problem: 'its addresses must be absolute, with https' }
  return { auth: { type: 'oauth2', authorization_url, token_url, scopes: [] } }
}

/** The schemes that are enough alone, with the scopes that they need. */
export interface Requirement {
  isPublic: boolean
  alone: Map<string, string[]>
}

const maxAlternatives = 20
const maxScopes = 50

/** Makes the function that reads security requirements (OpenAPI 3.1, 4.8.30). Many operations may share a list. */
export function createRequirements(): (list: unknown) => Requirement {
  const known = new WeakMap<object, Requirement>()
  return (list) => {
    if (!Array.isArray(list)) return { isPublic: true, alone: new Map() }
    const requirement = known.get(list) ?? requirementIn(list)
    known.set(list, requirement)
    return requirement
  }
}

function requirementIn(list: readonly unknown[]): Requirement {
  const given = list.slice(0, maxAlternatives).filter(isObject)
  const alternatives = given.map((one) => Object.entries(one)).toReversed()
  const alone = alternatives
    .filter((one) => one.length === 1)
    .map(([one]) => [one?.[0] ?? '', texts(one?.[1])] as const)
  return { isPublic: list.length === 0 || alternatives.some((one) => one.length === 0), alone: new Map(alone) }
}

const texts = (list: unknown): string[] =>
  Array.isArray(list) ? list.slice(0, maxScopes).filter((item) => typeof item === 'string' && item.length <= 200) : []

/** Ways to sign in, the best first: those that the owner can limit and end before those that are sent in addresses. */
function rankOf(auth: Auth): number {
  if (auth.type === 'oauth2') return 0
  if (auth.type === 'none') return 5
  const { credential } = auth
  if ('in' in credential) return credential.in === 'header' ? 2 : 4
  return credential.scheme === 'bearer' ? 1 : 3
}

/** What is known about the sign-in that the owner wants. */
export type Wish = Pick<DocumentToRead, 'hasCredential' | 'wantsSignIn'>

/**
 * Of the usable schemes, the name of the one that most requirements name, and among equals the better one. The owner's
 * wish decides first, also for schemes that none names: many documents describe a sign-in, and not which operations need
 * it. It does not depend on what is chosen, so that another choice does not end a sign-in.
 */
export function chosenScheme(
  schemes: Map<string, Scheme>,
  requirements: readonly Requirement[],
  { hasCredential, wantsSignIn }: Wish,
): string | undefined {
  const counts = new Map<string, number>()
  for (const { alone } of requirements) for (const name of alone.keys()) counts.set(name, (counts.get(name) ?? 0) + 1)
  const ranked = [...schemes]
    .flatMap(([name, scheme]) => ('auth' in scheme ? [{ name, ...scheme, count: counts.get(name) ?? 0 }] : []))
    .toSorted((one, other) => other.count - one.count || rankOf(one.auth) - rankOf(other.auth))
  const kind = hasCredential ? 'bearer' : wantsSignIn ? 'oauth2' : undefined
  const [most] = ranked
  const wished = ranked.find(({ auth }) => auth.type === kind)
  const isEnough = wished && most && wished.count * 2 >= most.count
  const best = isEnough ? wished : ranked.find(({ count }) => count > 0)
  return best?.name
}

/**
 * The sign-in of a site by a scheme. OAuth asks for the scopes that these requirements name. A token that the owner has
 * pasted is sent as that of OAuth would be, also if the document describes no sign-in: many APIs want a token and do not
 * say it.
 */
export function authBy(
  scheme: string | undefined,
  schemes: Map<string, Scheme>,
  needs: readonly Requirement[],
  { hasCredential }: Wish,
): Auth {
  const found = scheme === undefined ? undefined : schemes.get(scheme)
  const auth: Auth = found && 'auth' in found ? found.auth : { type: 'none' }
  if (auth.type === 'bearer') return auth
  if (hasCredential && (auth.type === 'oauth2' || schemes.size === 0)) return usual
  if (auth.type === 'none') return auth
  const scopes = scopeWords(...needs.flatMap(({ alone }) => alone.get(scheme ?? '') ?? []))
  return { ...auth, requested_scopes: scopes.toSorted() }
}

const usual: Auth = { type: 'bearer', credential: { scheme: 'bearer' } }

/** Throws if an operation needs another sign-in than the chosen one. */
export function checkSignIn(requirement: Requirement, chosen: string | undefined, schemes: Map<string, Scheme>): void {
  const { isPublic, alone } = requirement
  if (isPublic || (chosen !== undefined && alone.has(chosen))) return
  const [needed] = alone.keys()
  if (needed === undefined) throw new Unusable('needs several credentials at once')
  const scheme = schemes.get(needed)
  const start = `needs the sign-in ${shown(needed)}`
  if (!scheme) throw new Unusable(`${start}, which the document does not describe`)
  if ('problem' in scheme) throw new Unusable(`${start}: ${scheme.problem}`)
  throw new Unusable(`${start}, and that of the site is ${chosen === undefined ? 'another' : shown(chosen)}`)
}

const shown = (name: string): string => `"${shortened(withoutHidden(name.slice(0, 100)), 60)}"`
