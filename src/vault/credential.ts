import type { Sealing } from '../secrets/sealing.ts'
import type { VaultEntry } from './vault-entry.ts'

/** An owner's credential for a site: a pasted token (empty: none), or the two tokens of a grant. */
export interface Credential {
  accessToken: string
  /** Valid for one use; the site then issues the next one. */
  refreshToken?: string | undefined
}

const credentialPlace = (entryId: string) => ({ id: entryId, column: 'vault_entries.credential' })

/** Seals a credential for its row. A pasted token is sealed as text, a grant's tokens as a JSON object. */
export function sealCredential(sealing: Sealing, entry: Pick<VaultEntry, 'id' | 'authType'>, credential: Credential) {
  const plain = entry.authType === 'oauth2' ? JSON.stringify(credential) : credential.accessToken
  return sealing.seal(plain, credentialPlace(entry.id))
}

/** Opens the credential of a row. Throws if its key is no longer configured. */
export function openCredential(
  sealing: Sealing,
  entry: Pick<VaultEntry, 'id' | 'authType' | 'credential'>,
): Credential {
  const plain = sealing.open(entry.credential, credentialPlace(entry.id))
  return entry.authType === 'oauth2' ? (JSON.parse(plain) as Credential) : { accessToken: plain }
}
