import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

/** A public key as in RFC 7517 and RFC 8037. */
interface PublicJwk {
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
  kid: string
  use: 'sig'
  alg: 'EdDSA'
}

/** A key that verifies access tokens, and its id. */
interface VerifyingKey {
  kid: string
  key: KeyObject
  jwk: PublicJwk
}

export interface SigningKeys {
  /** Signs new tokens. */
  current: { kid: string; key: KeyObject }
  /** All keys, current one first. */
  verifying: readonly VerifyingKey[]
}

/**
 * The keys of JWT_PRIVATE_KEY. The first signs and verifies. The others only verify, so a key can be replaced while its
 * tokens are in use. A key's id is its thumbprint (RFC 7638), so all processes agree on it. Throws if a key is not
 * Ed25519 or is listed twice.
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
  // RFC 7638, 3: the required members in alphabetical order, without spaces.
  const kid = createHash('sha256').update(JSON.stringify(required)).digest('base64url')
  return { kid, key, jwk: { ...required, kid, use: 'sig', alg: 'EdDSA' } }
}

/**
 * The private keys as texts from which other secrets can be derived, current one first. A listed key that only verifies
 * may be a public key, which is no secret.
 */
export const secretsOfKeys = (pems: readonly string[]): string[] =>
  pems.filter((pem) => pem.includes('PRIVATE KEY')).map(secretOf)

/** The same for every PEM encoding of the key. */
const secretOf = (pem: string): string =>
  createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' }).toString('base64')
