import { createHash, randomBytes } from 'node:crypto'
import { absent, failedIf, passed, type Check, type Finding } from './check.ts'
import type { Outcome } from './exchange.ts'
import { oauthOf, type Site } from './site.ts'

/** A redirect address that no client can have registered (RFC 2606). */
const unregisteredUri = 'https://not-registered.invalid/callback'

export const scopesOf = (site: Site): string[] => {
  const { scopes: offered } = oauthOf(site)
  const wanted = site.options.oauth?.scopes
  if (wanted) return wanted
  return offered.includes('read') ? ['read'] : offered.slice(0, 1)
}

export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

export const newSecret = (): string => randomBytes(32).toString('base64url')

/**
 * The authorization address for a browser (docs/specification.md, "Authorization endpoint"); undefined `changes` drop a
 * parameter.
 */
export function authorizeAddress(site: Site, changes: Record<string, string | undefined> = {}): URL {
  const { clientId = 'switchyard-check-unknown-client', redirectUri = unregisteredUri } = site.options.oauth ?? {}
  const url = new URL(oauthOf(site).authorization_url)
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopesOf(site).join(' '),
    state: newSecret(),
    code_challenge: challengeOf(newSecret()),
    code_challenge_method: 'S256',
    ...changes,
  }
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value)
  return url
}

type Landing =
  | { at: 'callback'; query: URLSearchParams }
  /** Anything that continues: a page, or a redirect to a login. */
  | { at: 'sign-in' }
  | { at: 'error page' }
  | { at: 'nowhere' }

/** Where a browser would end up after this response of the authorization address. */
function landingOf({ status, headers }: Outcome, from: URL, redirectUri: string): Landing {
  const location = headers.get('location')
  const to = status >= 300 && status < 400 && location !== null ? URL.parse(location, from.href) : null
  if (to && isAt(to, redirectUri)) return { at: 'callback', query: to.searchParams }
  if (to || (status >= 200 && status < 300)) return { at: 'sign-in' }
  return { at: status >= 400 && status < 500 ? 'error page' : 'nowhere' }
}

export const isAt = (url: URL, address: string): boolean => {
  const wanted = URL.parse(address)
  return url.origin === wanted?.origin && url.host === wanted.host && url.pathname === wanted.pathname
}

async function visit(site: Site, changes: Record<string, string | undefined> = {}) {
  const url = authorizeAddress(site, changes)
  const outcome = await site.exchange.send({ url: url.href, method: 'GET', headers: { accept: 'text/html' } })
  return { url, outcome, landing: landingOf(outcome, url, url.searchParams.get('redirect_uri') ?? '') }
}

const ledToSignIn = ({ what }: Outcome): Finding =>
  failedIf([`The request was accepted and led to the sign-in: the authorization address ${what}`])

/** The request must be refused with an error page, or with an error sent to the callback. */
const refused = (name: string, changes: Record<string, string | undefined>) => async (site: Site) => {
  const { outcome, landing } = await site.once(`visit ${name}`, () => visit(site, changes))
  if (landing.at === 'error page') return passed
  if (landing.at === 'nowhere') return failedIf([`The authorization address ${outcome.what}`])
  if (landing.at === 'sign-in') return ledToSignIn(outcome)
  if (landing.query.has('code')) return failedIf(['The request was granted: a code came back.'])
  return failedIf(landing.query.has('error') ? [] : ['The callback had neither code nor error.'])
}

/** The browser must not be redirected to the address in the request, which may be an attacker's. */
const notRedirected = (changes: Record<string, string>) => async (site: Site) => {
  const { outcome, landing } = await visit(site, changes)
  if (landing.at === 'callback') return failedIf(['The browser was redirected to the address in the request.'])
  if (landing.at === 'sign-in') return ledToSignIn(outcome)
  return failedIf(landing.at === 'nowhere' ? [`The authorization address ${outcome.what}`] : [])
}

/** A path that has the registered one as its prefix. A comparison by prefix would accept it. */
export const beside = (redirectUri: string): string => `${redirectUri.replace(/[?#].*$/, '')}/beside`

const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined }
const plainPkce = { code_challenge: newSecret(), code_challenge_method: 'plain' }

/** The requirements for the authorization address that need no sign-in. */
export const authorizeChecks: Check[] = [
  {
    id: 'authorize-works',
    requirement: 'A valid request leads to the sign-in',
    section: 'Authorization endpoint',
    fix: 'Register the client and its redirect address at the site, and offer the scopes of the manifest.',
    needs: ['manifest', 'oauth2', 'client'],
    run: async (site) => {
      const { outcome, landing } = await visit(site)
      if (landing.at === 'sign-in' || (landing.at === 'callback' && landing.query.has('code'))) return passed
      const came = landing.at === 'callback' ? ` with ${landing.query.get('error') ?? 'neither code nor error'}` : ''
      return failedIf([`The authorization address${came === '' ? '' : `, ${came.trim()},`} ${outcome.what}`])
    },
  },
  {
    id: 'authorize-client',
    requirement: 'An unknown client is refused, without a redirect to its address',
    section: 'RFC 6749, section 4.1.2.1',
    fix: 'If client_id is unknown, show an error page with status 400.',
    needs: ['manifest', 'oauth2'],
    run: notRedirected({ client_id: 'switchyard-check-unknown-client', redirect_uri: unregisteredUri }),
  },
  {
    id: 'authorize-redirect-uri',
    requirement: 'An unregistered redirect address is refused, without a redirect to it',
    section: 'RFC 6749, section 4.1.2.1; RFC 9700, section 4.1.3',
    fix: 'Compare the whole redirect_uri with the registered ones, not a prefix.',
    needs: ['manifest', 'oauth2', 'client'],
    run: async (site) => {
      const foreign = await notRedirected({ redirect_uri: unregisteredUri })(site)
      if (foreign.result !== 'passed') return foreign
      return notRedirected({ redirect_uri: beside(site.options.oauth?.redirectUri ?? '') })(site)
    },
  },
  {
    id: 'authorize-pkce',
    requirement: 'A request without a PKCE challenge is refused',
    section: 'Authorization endpoint, code_challenge; RFC 7636, section 4.4.1',
    fix: 'Return error=invalid_request if code_challenge is missing.',
    needs: ['manifest', 'oauth2', 'client'],
    run: refused('without PKCE', withoutPkce),
  },
  {
    id: 'authorize-plain',
    requirement: 'A challenge with the method plain is refused',
    section: 'Authorization endpoint, code_challenge_method: always S256',
    fix: 'Return error=invalid_request if code_challenge_method is not S256.',
    needs: ['manifest', 'oauth2', 'client'],
    run: refused('plain', plainPkce),
  },
  {
    id: 'authorize-state',
    requirement: 'An error comes with the state that was sent',
    section: 'Authorization endpoint, state; RFC 6749, section 4.1.2.1',
    fix: 'Send state with every error, unchanged.',
    needs: ['manifest', 'oauth2', 'client'],
    run: async (site) => {
      const visits = await Promise.all([
        site.once('visit without PKCE', () => visit(site, withoutPkce)),
        site.once('visit plain', () => visit(site, plainPkce)),
      ])
      const errors = visits.flatMap(({ url, landing }) =>
        landing.at === 'callback' && landing.query.has('error') ? [{ url, query: landing.query }] : [],
      )
      if (errors.length === 0) return absent('The site shows errors as pages, and sends none to the callback.')
      const lost = errors.some(({ url, query }) => query.get('state') !== url.searchParams.get('state'))
      return failedIf(lost ? ['An error came back without the state.'] : [])
    },
  },
]
