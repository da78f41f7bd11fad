import { createHash, randomUUID } from 'node:crypto'
import type { SiteRequest, Rule, SiteResponse } from './defect.ts'
import { sameToken } from './tool-rules.ts'

interface Grant {
  scopes: string[]
  alive: boolean
}

interface Code {
  grant: Grant
  challenge: string
  used: boolean
}

/** An OAuth server, correct if it keeps every rule. Every user is signed in, and consents. */
export function createOAuthRules(origin: string, redirectUri: string, keeps: (rule: Rule) => boolean) {
  const codes = new Map<string, Code>()
  const accessTokens = new Map<string, Grant>()
  const refreshTokens = new Map<string, { grant: Grant; used: boolean }>()

  function authorize({ query }: SiteRequest): SiteResponse {
    const { client_id: client, redirect_uri: uri = '', state = '', scope = '', ...pkce } = Object.fromEntries(query)
    if (client !== 'switchyard' && keeps('knows its clients')) return page('unknown client')
    if (client === 'switchyard' && !isRegistered(uri)) return page('unknown redirect address')
    const back = (answer: Record<string, string>) => redirect(uri, { ...answer, state, iss: origin })
    if (pkce['person'] === 'deny') return deny(uri, state)
    const challenge = pkce['code_challenge']
    if (challenge === undefined && keeps('needs PKCE')) return back({ error: 'invalid_request' })
    if (challenge !== undefined && pkce['code_challenge_method'] !== 'S256' && keeps('needs S256')) {
      return back({ error: 'invalid_request' })
    }
    const code = randomUUID()
    const scopes = keeps('bounds scopes') ? scope.split(' ') : ['read', 'write']
    codes.set(code, { grant: { scopes, alive: true }, challenge: challenge ?? '', used: false })
    return back({ code })
  }

  const deny = (uri: string, state: string): SiteResponse =>
    redirect(uri, { error: 'access_denied', ...(keeps('returns the state of a denial') && { state }), iss: origin })

  const isRegistered = (uri: string): boolean => {
    if (!keeps('compares redirect addresses')) return true
    return keeps('compares redirect addresses whole') ? uri === redirectUri : uri.startsWith(redirectUri)
  }

  function token({ method, body }: SiteRequest): SiteResponse {
    if (method !== 'POST')
      return keeps('takes codes by POST only') ? refusal('invalid_request') : { status: 200, body: {} }
    const form = Object.fromEntries(new URLSearchParams(body))
    if (form['client_id'] !== 'switchyard') return refusal('invalid_client')
    if (form['grant_type'] === 'authorization_code') return exchange(form)
    if (form['grant_type'] === 'refresh_token') return refresh(form['refresh_token'] ?? '')
    return refusal('unsupported_grant_type')
  }

  function exchange(form: Record<string, string>): SiteResponse {
    const code = codes.get(form['code'] ?? '')
    const sentBack = form['redirect_uri'] === redirectUri || !keeps('compares redirect addresses of codes')
    if (!code || !sentBack) return refusal('invalid_grant')
    const noVerifier = form['code_verifier'] === undefined && !keeps('needs verifiers')
    const challenge = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url')
    if (challenge !== code.challenge && !noVerifier && keeps('checks verifiers')) return refusal('invalid_grant')
    if (code.used && keeps('takes codes once')) {
      // Another party has the code, and perhaps the tokens (RFC 6749, 4.1.2).
      code.grant.alive = false
      return refusal('invalid_grant')
    }
    code.used = true
    return grantTokens(code.grant)
  }

  function refresh(sent: string): SiteResponse {
    const known = refreshTokens.get(sent)
    const dead = known && !known.grant.alive
    const reused = known?.used === true && keeps('takes refresh tokens once')
    if (reused && keeps('ends grants on reuse')) known.grant.alive = false
    if (!known || reused || (dead && keeps('takes refresh tokens once'))) return refusal('invalid_grant')
    known.used = keeps('rotates')
    return grantTokens(known.grant, keeps('rotates') ? undefined : sent, keeps('stores refreshed tokens'))
  }

  function grantTokens(grant: Grant, oldRefreshToken?: string, stored = true): SiteResponse {
    const [accessToken, refreshToken] = [randomUUID(), oldRefreshToken ?? randomUUID()]
    if (stored) accessTokens.set(accessToken, grant)
    if (oldRefreshToken === undefined) refreshTokens.set(refreshToken, { grant, used: false })
    const lifetime = { token_type: 'Bearer', expires_in: 3600, scope: grant.scopes.join(' ') }
    return {
      status: 200,
      headers: noStore,
      body: { access_token: accessToken, refresh_token: refreshToken, ...lifetime },
    }
  }

  function revoke({ body }: SiteRequest): SiteResponse {
    const known = refreshTokens.get(new URLSearchParams(body).get('token') ?? '')
    if (known && keeps('revokes')) known.grant.alive = false
    return { status: 200, body: {} }
  }

  return {
    answer(request: SiteRequest): SiteResponse | undefined {
      if (request.path === '/authorize') return authorize(request)
      if (request.path === '/token') return token(request)
      return request.path === '/revoke' ? revoke(request) : undefined
    },
    scopesOf: (accessToken: string): string[] | undefined => {
      const asRefreshToken = keeps('tells refresh tokens from access tokens')
        ? undefined
        : refreshTokens.get(accessToken)
      const grant = asRefreshToken?.grant ?? sameToken(keeps, accessTokens, accessToken)
      return grant?.alive ? grant.scopes : undefined
    },
  }
}

const noStore = { 'Cache-Control': 'no-store' }
const refusal = (error: string): SiteResponse => ({ status: 400, headers: noStore, body: { error } })
const page = (body: string): SiteResponse => ({ status: 400, body })

function redirect(uri: string, query: Record<string, string>): SiteResponse {
  const to = new URL(uri)
  for (const [name, value] of Object.entries(query)) to.searchParams.set(name, value)
  return { status: 303, headers: { Location: to.href }, body: {} }
}
