import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readConfig } from '../../src/config.ts'

/** An Ed25519 key in PEM, made anew. */
const newPrivateKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** The configuration of something that needs this database, keys, and nothing else unless it is given. */
export function testConfig(url: string, more: Record<string, string> = {}) {
  const VAULT_KEYS = `k1:${randomBytes(32).toString('base64')}`
  return readConfig({ DATABASE_URL: url, VAULT_KEYS, JWT_PRIVATE_KEY: newPrivateKey(), ...more })
}
