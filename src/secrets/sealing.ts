import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Config } from '../config/config.ts'

/** Where a sealed value belongs. It opens nowhere else, so a copy in another row is useless. */
interface SealedPlace {
  id: string
  column: string
}

/** The vault keys are not yet verified against Postgres. Transient, like an outage of Postgres. */
export class KeysNotProvedError extends Error {
  override readonly name = 'KeysNotProvedError'
}

/**
 * Seals secrets that must be read again (vault credentials, webhook secrets): AES-256-GCM under named keys. A sealed
 * value is `<key name>.<base64url of nonce, ciphertext and tag>`; id, column and key name are its associated data.
 */
export function createSealing(keys: Config['vaultKeys']) {
  const current = keys[0]
  if (!current) throw new Error('no vault key is configured')
  let held = false

  return {
    /** Makes sealing and opening throw a KeysNotProvedError until `release`. */
    hold(): void {
      held = true
    },
    release(): void {
      held = false
    },

    seal(plain: string, place: SealedPlace): string {
      if (held) throw new KeysNotProvedError('the vault keys have not been verified yet')
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce)
      cipher.setAAD(associated(place, current.name))
      const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${current.name}.${sealed.toString('base64url')}`
    },

    /** The plain text. Throws if the key is no longer configured, or the value was changed or moved. */
    open(sealed: string, place: SealedPlace): string {
      if (held) throw new KeysNotProvedError('the vault keys have not been verified yet')
      const dot = sealed.indexOf('.')
      const name = sealed.slice(0, dot)
      const key = keys.find((candidate) => candidate.name === name)
      if (!key) throw new Error(`the vault key "${name}", which was used to seal a value, is not configured`)
      const bytes = Buffer.from(sealed.slice(dot + 1), 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key.key, bytes.subarray(0, 12))
      decipher.setAAD(associated(place, name))
      decipher.setAuthTag(bytes.subarray(-16))
      return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8')
    },
  }
}

export type Sealing = ReturnType<typeof createSealing>

const associated = ({ id, column }: SealedPlace, key: string): Buffer => Buffer.from(`${column}|${id}|${key}`, 'utf8')
