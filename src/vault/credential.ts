import type { Sealing } from '../secrets/sealing.ts'
import type { VaultEntry } from './vault-entry.ts'

/** What a site has given for an owner: a token made by hand, or the two tokens of a grant. */
export interface Credential {
  accessToken: string
  /** Spent by being used once; the site gives the next one. */
  refreshToken?: string | undefined
}

/** What sealing has to know of a credential in the vault. */
const credentialPlace = (entryId: string) => ({ id: entryId, column: 'vault_entries.credential' })

/** Seals a credential for its row. A token made by hand is sealed as it is, those of a grant as a JSON object. */
export function sealCredential(sealing: Sealing, entry: Pick<VaultEntry, 'id' | 'authType'>, credential: Credential) {
  const plain = entry.authType === 'bearer' ? credential.accessToken : JSON.stringify(credential)
  return sealing.seal(plain, credentialPlace(entry.id))
}

/** Opens the credential of a row. Throws when its key is not configured any more. */
export function openCredential(sealing: Sealing, entry: VaultEntry): Credential {
  const plain = sealing.open(entry.credential, credentialPlace(entry.id))
  return entry.authType === 'bearer' ? { accessToken: plain } : (JSON.parse(plain) as Credential)
}
