import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

/** A key as RFC 7517 and RFC 8037 publish it: the public half only. */
interface PublicJwk {
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
  kid: string
  use: 'sig'
  alg: 'EdDSA'
}

/** A key that access tokens are verified with, and its id. */
interface VerifyingKey {
  kid: string
  key: KeyObject
  jwk: PublicJwk
}

export interface SigningKeys {
  /** Signs new tokens. */
  current: { kid: string; key: KeyObject }
  /** All keys, the current one first. */
  verifying: readonly VerifyingKey[]
}

/**
 * The keys of JWT_PRIVATE_KEY: the first signs and verifies, the others only verify, so that a key can be changed while
 * its tokens are in use. The id of a key is its thumbprint (RFC 7638): it needs no name, and a process cannot give it
 * another one. Throws if a key is not an Ed25519 key, or is listed twice.
 */
export function readSigningKeys(pems: readonly string[]): SigningKeys {
  const privateKey = createPrivateKey(pems[0]!)
  const verifying = pems.map(readKey)
  if (new Set(verifying.map(({ kid }) => kid)).size < verifying.length)
    throw new Error('JWT_PRIVATE_KEY lists a key twice.')
  return { current: { kid: verifying[0]!.kid, key: privateKey }, verifying }
}

function readKey(pem: string): VerifyingKey {
  const key = createPublicKey(pem)
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The key that signs access tokens must be an Ed25519 key.')
  const x = key.export({ format: 'jwk' }).x!
  const required = { crv: 'Ed25519', kty: 'OKP', x } as const
  // RFC 7638, 3: the required members in the order of their names, without spaces.
  const kid = createHash('sha256').update(JSON.stringify(required)).digest('base64url')
  return { kid, key, jwk: { ...required, kid, use: 'sig', alg: 'EdDSA' } }
}
