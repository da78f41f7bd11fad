import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readConfig } from '../../src/config/config.ts'

/** An Ed25519 key in PEM, made anew. */
const newPrivateKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** A vault key and a signing key, made anew. */
export const newKeys = () => ({
  VAULT_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  JWT_PRIVATE_KEY: newPrivateKey(),
})

/** The configuration of something that needs this database, keys, and nothing else unless it is given. */
export const testConfig = (url: string, more: Record<string, string> = {}) =>
  readConfig({ DATABASE_URL: url, ...newKeys(), ...more })
