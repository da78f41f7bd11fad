import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from './write-file.ts'

export interface LocalSecrets {
  postgresPassword: string
  /** VAULT_KEYS, in the format of the settings. */
  vaultKeys: string
  /** JWT_PRIVATE_KEY, in the format of the settings. */
  jwtPrivateKey: string
  metricsToken: string
}

export const newSecrets = (): LocalSecrets => ({
  postgresPassword: randomBytes(24).toString('base64url'),
  vaultKeys: `local-1:${randomBytes(32).toString('base64')}`,
  jwtPrivateKey: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  metricsToken: randomBytes(24).toString('base64url'),
})

/**
 * Reads the secrets of a data folder, and generates those that are missing: all on the first start, and later those
 * that an older version did not know. Only our user may read them.
 */
export function localSecrets(folder: string): LocalSecrets {
  const file = join(folder, 'secrets.json')
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<LocalSecrets>) : {}
  const secrets = { ...newSecrets(), ...known }
  if (Object.keys(secrets).length > Object.keys(known).length)
    replaceFile(file, JSON.stringify(secrets, null, 2), 0o600)
  return secrets
}
