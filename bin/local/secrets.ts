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
}

export const newSecrets = (): LocalSecrets => ({
  postgresPassword: randomBytes(24).toString('base64url'),
  vaultKeys: `local-1:${randomBytes(32).toString('base64')}`,
  jwtPrivateKey: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
})

/** Reads the secrets of a data folder, or generates them on the first start. Only our user may read them. */
export function localSecrets(folder: string): LocalSecrets {
  const file = join(folder, 'secrets.json')
  if (!existsSync(file)) replaceFile(file, JSON.stringify(newSecrets(), null, 2), 0o600)
  return JSON.parse(readFileSync(file, 'utf8')) as LocalSecrets
}
