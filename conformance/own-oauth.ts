import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Json } from './client.ts'
import type { Reply } from './own-tools.ts'

/** A request to the token address, as received. */
export interface TokenRequest {
  method: string
  headers: IncomingHttpHeaders
  form: Record<string, string>
  status: number
}

export type OwnOAuth = ReturnType<typeof createOwnOAuth>

interface NextConsent {
  /** How long access tokens are valid, in seconds. */
  life: number
  /** The scope that the user grants; by default everything requested. */
  scope?: string
}

/** A refresh takes long enough for simultaneous calls to meet it. */
const refreshMs = 500

const newToken = (): string => randomBytes(24).toString('base64url')

/**
 * The OAuth server of one of the checker's sites. It immediately approves the request, or less, issues each refresh
 * token for one use, and records every request.
 */
export function createOwnOAuth() {
  const codes = new Map<string, { challenge: string; scope: string; redirectUri: string; life: number }>()
  const refreshTokens = new Map<string, { scope: string; life: number }>()
  const accessTokens = new Map<string, number>()
  const tokenRequests: TokenRequest[] = []
  let next: NextConsent = { life: 3600 }

  function issue(scope: string, life: number): Json {
    const tokens = { access_token: newToken(), refresh_token: newToken() }
    accessTokens.set(tokens.access_token, Date.now() + life * 1000)
    refreshTokens.set(tokens.refresh_token, { scope, life })
    return { ...tokens, token_type: 'Bearer', expires_in: life }
  }

  function exchange({ code = '', code_verifier: verifier = '', redirect_uri: redirectUri }: Record<string, string>) {
    const found = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    if (found?.challenge !== challenge || found.redirectUri !== redirectUri) return undefined
    return { ...issue(found.scope, found.life), scope: found.scope }
  }

  /** `scope` may be absent here. */
  function refresh({ refresh_token: token = '' }: Record<string, string>) {
    const found = refreshTokens.get(token)
    refreshTokens.delete(token)
    return found && issue(found.scope, found.life)
  }

  return {
    tokenRequests,
    /** Sets the result of the next consents. */
    consentTo: (consent: NextConsent) => void (next = consent),
    isGood: (token: string) => (accessTokens.get(token) ?? 0) > Date.now(),
    /** Expires all access tokens early, as a user may do. */
    endAccessTokens: () => accessTokens.clear(),

    authorize(query: URLSearchParams): Reply {
      const code = newToken()
      const redirectUri = query.get('redirect_uri') ?? ''
      const { scope = query.get('scope') ?? '', life } = next
      codes.set(code, { challenge: query.get('code_challenge') ?? '', scope, redirectUri, life })
      const location = `${redirectUri}?${new URLSearchParams({ code, state: query.get('state') ?? '' }).toString()}`
      return { status: 303, headers: { location }, body: {} }
    },

    async token(method: string, headers: IncomingHttpHeaders, text: string): Promise<Reply> {
      const form = Object.fromEntries(new URLSearchParams(text))
      const isRefresh = form['grant_type'] === 'refresh_token'
      if (isRefresh) await delay(refreshMs)
      const body = isRefresh ? refresh(form) : exchange(form)
      tokenRequests.push({ method, headers, form, status: body ? 200 : 400 })
      return body ? { body } : { status: 400, body: { error: 'invalid_grant' } }
    },
  }
}
