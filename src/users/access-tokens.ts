import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { assertThat, CodedError } from '../errors.ts'
import { isId, newId } from '../ids.ts'

/** RFC 8725, 3.1 and 3.11: one algorithm and one explicit type; the token itself chooses neither. */
const algorithm = 'EdDSA'
const type = 'at+jwt'
const audience = 'switchyard'

/** The user and login that an access token stands for. */
interface Subject {
  userId: string
  loginId: string
}

/**
 * Access tokens (JWT, in the form of RFC 9068), signed with the configured Ed25519 key and verified with its public
 * half. Throws at start if the key is not an Ed25519 key.
 */
export function createAccessTokens(context: { clock: Clock; config: Pick<Config, 'auth' | 'http'> }) {
  const { clock, config } = context
  const privateKey = readKey(config.auth.privateKey)
  const publicKey = createPublicKey(privateKey)
  const issuer = config.http.baseUrl

  /** A token's lifetime in seconds: the requested one, capped by the configuration. VALIDATION_ERROR below 1. */
  function lifetime(ttlSeconds: number | undefined): number {
    const asked = ttlSeconds ?? config.auth.accessTokenSeconds
    assertThat(Number.isInteger(asked) && asked >= 1, 'VALIDATION_ERROR', {
      message: 'The lifetime is not valid.',
      details: [{ path: 'ttlSeconds', message: 'Must be a whole number of seconds, at least 1.' }],
    })
    return Math.min(asked, config.auth.accessTokenSeconds)
  }

  function sign({ userId, loginId }: Subject, seconds: number): Promise<string> {
    const now = clock.now().getTime() / 1000
    return (
      new SignJWT({ sid: loginId })
        .setProtectedHeader({ alg: algorithm, typ: type })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(userId)
        .setJti(newId())
        .setIssuedAt(Math.floor(now))
        // Rounded up, so that a one-second token lives for at least a second.
        .setExpirationTime(Math.ceil(now + seconds))
        .sign(privateKey)
    )
  }

  /** The token's subject. TOKEN_EXPIRED, or INVALID_TOKEN for any other fault. */
  async function verify(token: string): Promise<Subject> {
    // Without padding (RFC 7515, 2); jose would accept a padded signature.
    assertThat(/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token), 'INVALID_TOKEN')
    const { payload } = await jwtVerify(token, publicKey, {
      algorithms: [algorithm],
      typ: type,
      issuer,
      audience,
      requiredClaims: ['sub', 'sid', 'jti', 'iat', 'exp'],
      currentDate: clock.now(),
    }).catch(refuse)
    const { sub, sid } = payload
    assertThat(typeof sub === 'string' && isId(sub) && typeof sid === 'string' && isId(sid), 'INVALID_TOKEN')
    return { userId: sub, loginId: sid }
  }

  return { lifetime, sign, verify }
}

export type AccessTokens = ReturnType<typeof createAccessTokens>

/** The key was checked at start, so every failure is the token's. jose checks `exp` last. */
function refuse(error: unknown): never {
  const expired = (error as { code?: unknown }).code === 'ERR_JWT_EXPIRED'
  throw new CodedError(expired ? 'TOKEN_EXPIRED' : 'INVALID_TOKEN', { cause: error })
}

function readKey(pem: string): KeyObject {
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyType === 'ed25519') return key
  throw new Error('The key that signs access tokens must be an Ed25519 key.')
}
