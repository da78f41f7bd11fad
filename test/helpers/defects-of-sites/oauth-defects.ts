import { notFound, onGoodRead, where, withHeaders, without, type Change, type Defects } from './changes.ts'
import type { SiteRequest, SiteResponse } from './defect.ts'

const isToken = ({ path }: SiteRequest) => path === '/token'
const isAuthorize = ({ path }: SiteRequest) => path === '/authorize'
const grantOf = ({ body }: SiteRequest) => new URLSearchParams(body).get('grant_type')

/** Changes successful token responses, for one grant type or for all. */
const inTokens = (change: (body: Record<string, unknown>) => object, grant?: string): Change =>
  where(
    (response, request) =>
      isToken(request) && response.status === 200 && (grant === undefined || grantOf(request) === grant),
    (response) => ({ ...response, body: change(response.body as Record<string, unknown>) }),
  )

/** Changes refusals of the token endpoint, or those that `of` selects. */
const inRefusals = (
  change: (response: SiteResponse, request: SiteRequest) => SiteResponse,
  of: (request: SiteRequest) => boolean = () => true,
): Change => where((response, request) => isToken(request) && response.status === 400 && of(request), change)

const inCallback = (param: 'code' | 'error', change: (to: URL) => void): Change =>
  where(
    (response, request) => isAuthorize(request) && (response.headers?.['Location'] ?? '').includes(`${param}=`),
    (response) => {
      const to = new URL(response.headers?.['Location'] ?? '')
      change(to)
      return { ...response, headers: { Location: to.href } }
    },
  )

const ofWrong = (kind: 'code' | 'refresh_token') => (request: SiteRequest) =>
  (new URLSearchParams(request.body).get(kind) ?? '').startsWith('wrong-')

const dropCode = inCallback('code', (to) => to.searchParams.delete('code'))

export const oauthDefects: Defects = {
  'offers fewer scopes than its tools need': {
    manifest: (manifest) => ({ ...manifest, auth: { ...manifest.auth, scopes: ['read'] } }),
    fails: ['scopes-offered'],
  },
  'sends strangers’ clients where they want': { without: 'knows its clients', fails: ['authorize-client'] },
  'redirects anywhere': { without: 'compares redirect addresses', fails: ['authorize-redirect-uri'] },
  'compares redirect addresses by their beginning': {
    without: 'compares redirect addresses whole',
    fails: ['authorize-redirect-uri'],
  },
  'does without PKCE': { without: 'needs PKCE', fails: ['authorize-pkce'] },
  'takes plain PKCE': { without: 'needs S256', fails: ['authorize-plain'] },
  'shows a login before it looks at PKCE': {
    change: where(
      (response, request) => isAuthorize(request) && !request.query.has('code_challenge') && response.status === 303,
      () => ({ status: 302, headers: { Location: '/login' }, body: {} }),
    ),
    fails: ['authorize-pkce'],
  },
  'loses the state of errors': {
    change: inCallback('error', (to) => to.searchParams.delete('state')),
    fails: ['authorize-state'],
  },
  'exchanges codes by GET': { without: 'takes codes by POST only', fails: ['token-post'] },
  'answers 401 to a wrong code': {
    change: inRefusals((response) => ({ ...response, status: 401 }), ofWrong('code')),
    fails: ['token-code'],
  },
  'answers a wrong code without an error': {
    change: inRefusals((response) => ({ ...response, body: { message: 'no' } }), ofWrong('code')),
    fails: ['token-code'],
  },
  'answers 500 to a wrong refresh token': {
    change: inRefusals((response) => ({ ...response, status: 500 }), ofWrong('refresh_token')),
    fails: ['token-refresh'],
  },
  'calls every refusal invalid_request': {
    change: inRefusals((response) => ({ ...response, body: { error: 'invalid_request' } })),
    fails: ['token-code'],
  },
  'takes grant types that there are not': {
    change: inRefusals(
      (response) => ({ ...response, status: 200 }),
      (request) => grantOf(request) === 'urn:switchyard:check',
    ),
    fails: ['token-grant-type'],
  },
  'lets refusals be cached': { change: inRefusals(withHeaders({})), warns: ['token-error-cache'] },
  'sends the browser back without a code': { change: dropCode, fails: ['authorize-works'] },
  'sends people back without a code': {
    change: (response, request) => (request.query.has('person') ? dropCode(response, request) : response),
    fails: ['sign-in'],
  },
  'loses the state of a denial': { without: 'returns the state of a denial', fails: ['denial'] },
  'loses the state': { change: inCallback('code', (to) => to.searchParams.delete('state')), fails: ['callback-state'] },
  'sends no issuer': { change: inCallback('code', (to) => to.searchParams.delete('iss')), fails: ['callback-issuer'] },
  'sends the issuer of another': {
    change: inCallback('code', (to) => to.searchParams.set('iss', 'https://other.example')),
    fails: ['callback-issuer'],
  },
  'does not check verifiers': { without: 'checks verifiers', fails: ['verifier'] },
  'takes codes without a verifier': {
    without: 'needs verifiers',
    fails: ['verifier-missing'],
    says: /Tokens were issued without a verifier\. The token address answered with status 200/,
  },
  'does not compare the redirect address of a code': {
    without: 'compares redirect addresses of codes',
    fails: ['exchange-redirect-uri'],
    says: /Tokens were issued for another redirect_uri/,
  },
  'compares the first twenty characters of a token': { without: 'compares whole tokens', fails: ['whole-token'] },
  'takes refresh tokens for access tokens': {
    without: 'tells refresh tokens from access tokens',
    fails: ['refresh-token-as-access'],
    says: /With the refresh token, get_note answered with status 200/,
  },
  'gives tokens of another type': {
    change: inTokens((body) => ({ ...body, token_type: 'mac' })),
    fails: ['token-answer'],
  },
  'gives tokens that no header can hold': {
    change: inTokens((body) => ({ ...body, access_token: 'with space' }), 'authorization_code'),
    fails: ['token-answer'],
  },
  'lets tokens be cached': {
    change: where((response, request) => isToken(request) && response.status === 200, withHeaders({})),
    fails: ['token-cache'],
  },
  'says no lifetime': { change: inTokens((body) => without(body, 'expires_in')), fails: ['token-lifetime'] },
  'says the lifetime as a text': {
    change: inTokens((body) => ({ ...body, expires_in: '3600' })),
    fails: ['token-lifetime'],
  },
  'gives tokens for a day': { change: inTokens((body) => ({ ...body, expires_in: 86_400 })), warns: ['token-hour'] },
  'gives no refresh token': {
    change: inTokens((body) => without(body, 'refresh_token'), 'authorization_code'),
    fails: ['token-refreshable'],
  },
  'does not say what was granted': {
    change: inTokens((body) => without(body, 'scope'), 'authorization_code'),
    fails: ['token-scope'],
  },
  'grants more than was asked for': { without: 'bounds scopes', fails: ['scope-bounds'] },
  'does not know its own tokens': {
    change: onGoodRead(() => ({
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer' },
      body: { error: 'Who are you?' },
    })),
    fails: ['token-works'],
  },
  'does not heed scopes': { without: 'checks permissions', fails: ['scope-enforced'] },
  'refuses to refresh': {
    change: where(
      (response, request) => isToken(request) && grantOf(request) === 'refresh_token' && response.status === 200,
      (response) => ({ ...response, status: 400, body: { error: 'invalid_grant' } }),
    ),
    fails: ['refresh'],
  },
  'does not rotate refresh tokens': { without: 'rotates', fails: ['rotation'] },
  'sends no new refresh token': {
    change: inTokens((body) => without(body, 'refresh_token'), 'refresh_token'),
    fails: ['rotation'],
  },
  'widens scopes by refreshing': {
    change: inTokens((body) => ({ ...body, scope: 'read write' }), 'refresh_token'),
    fails: ['refresh-scope'],
  },
  'does not know refreshed tokens': { without: 'stores refreshed tokens', fails: ['refreshed-works'] },
  'takes refresh tokens again and again': { without: 'takes refresh tokens once', fails: ['refresh-once'] },
  'lets the thief keep the newer token': { without: 'ends grants on reuse', warns: ['reuse-ends-grant'] },
  'takes codes twice': { without: 'takes codes once', fails: ['code-once'] },
  'does not revoke': { without: 'revokes', fails: ['revocation'] },
  'has no revocation address where it says': {
    change: where(
      ({ status }, { path }) => path === '/revoke' && status === 200,
      () => notFound,
    ),
    fails: ['revocation'],
  },
  'repeats codes in errors': {
    change: inRefusals(
      (response, { body }) => ({ ...response, body: { error: 'invalid_grant', error_description: body } }),
      ofWrong('code'),
    ),
    fails: ['no-echo'],
  },
}
