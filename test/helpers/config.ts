import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readConfig } from '../../src/config/config.ts'

/** Makes an Ed25519 key in PEM. */
const newPrivateKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

export const newKeys = () => ({
  VAULT_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  JWT_PRIVATE_KEY: newPrivateKey(),
})

/** A configuration with this database, keys and the given settings. */
export const testConfig = (url: string, more: Record<string, string> = {}) =>
  readConfig({ DATABASE_URL: url, ...newKeys(), ...more })
