import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { assertThat, CodedError } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import { readSigningKeys } from './signing-keys.ts'

/** RFC 8725, 3.1 and 3.11: one algorithm and one explicit type, never chosen by the token. */
const algorithm = 'EdDSA'
const type = 'at+jwt'
const audience = 'switchyard'

/** The tolerated clock difference between processes: tokens issued later than this are refused. */
const aheadSeconds = 300

/** The user and login of an access token. */
interface Subject {
  userId: string
  loginId: string
}

/**
 * Access tokens (JWTs in the form of RFC 9068). The first configured Ed25519 key signs; the public half of the named
 * key verifies. Throws at start if a key is not an Ed25519 key.
 */
export function createAccessTokens(context: { clock: Clock; config: Pick<Config, 'auth' | 'http'> }) {
  const { clock, config } = context
  const { current, verifying } = readSigningKeys(config.auth.privateKeys)
  const issuer = config.http.baseUrl

  /** A token's lifetime in seconds: the requested one, up to the configured maximum. VALIDATION_ERROR below 1. */
  function lifetime(ttlSeconds: number | undefined): number {
    const asked = ttlSeconds ?? config.auth.accessTokenSeconds
    assertThat(Number.isInteger(asked) && asked >= 1, 'VALIDATION_ERROR', {
      message: 'The lifetime is invalid.',
      details: [{ path: 'ttlSeconds', message: 'Must be an integer of at least 1.' }],
    })
    return Math.min(asked, config.auth.accessTokenSeconds)
  }

  /** A token's times are whole seconds, rounded down, so it never outlives `expiresIn`. */
  function sign({ userId, loginId }: Subject, seconds: number): Promise<string> {
    const issuedAt = Math.floor(clock.now().getTime() / 1000)
    return new SignJWT({ sid: loginId })
      .setProtectedHeader({ alg: algorithm, typ: type, kid: current.kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(userId)
      .setJti(newId())
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + seconds)
      .sign(current.key)
  }

  /**
   * The keys to try: the one that the token names, or all if it names none of ours. Tokens from before keys had ids
   * name none.
   */
  function candidates(token: string) {
    const { kid } = decodeProtectedHeader(token)
    const named = verifying.filter((key) => key.kid === kid)
    return named.length > 0 ? named : verifying
  }

  async function verifySignature(token: string) {
    const keys = candidates(token)
    for (const [index, { key }] of keys.entries()) {
      try {
        return await jwtVerify(token, key, {
          algorithms: [algorithm],
          typ: type,
          issuer,
          audience,
          requiredClaims: ['sub', 'sid', 'jti', 'iat', 'exp'],
          currentDate: clock.now(),
        })
      } catch (error) {
        if (index === keys.length - 1 || !isOfAnotherKey(error)) throw error
      }
    }
    throw new Error('No key is configured for verifying access tokens.')
  }

  /** The token's subject. TOKEN_EXPIRED, or INVALID_TOKEN for any other fault. */
  async function verify(token: string): Promise<Subject> {
    assertThat(isCanonical(token), 'INVALID_TOKEN')
    const { payload } = await verifySignature(token).catch(refuse)
    const { sub, sid, iat = 0, exp } = payload
    assertThat(Number.isSafeInteger(exp) && iat <= clock.now().getTime() / 1000 + aheadSeconds, 'INVALID_TOKEN')
    assertThat(typeof sub === 'string' && isId(sub) && typeof sid === 'string' && isId(sid), 'INVALID_TOKEN')
    return { userId: sub, loginId: sid }
  }

  /** The public keys (RFC 7517, 5), current one first, for anyone who verifies tokens offline. */
  const publicKeys = () => ({ keys: verifying.map(({ jwk }) => jwk) })

  return { lifetime, sign, verify, publicKeys }
}

export type AccessTokens = ReturnType<typeof createAccessTokens>

/**
 * Requires base64url without padding (RFC 7515, 2) and without spare bits at the end of the signature. jose accepts
 * both, so one token would have several spellings. The signature covers the other parts as they are written.
 */
function isCanonical(token: string): boolean {
  const [, signature] = /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(token) ?? []
  return signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature
}

/** The key was checked at start, so every failure is about the token. jose checks `exp` last. */
function refuse(error: unknown): never {
  const expired = (error as { code?: unknown }).code === 'ERR_JWT_EXPIRED'
  throw new CodedError(expired ? 'TOKEN_EXPIRED' : 'INVALID_TOKEN', { cause: error })
}

const isOfAnotherKey = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'
