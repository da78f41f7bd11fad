import { CodedError } from '../errors.ts'
import type { VaultEntry } from './vault-entry.ts'

/** TOKEN_EXISTS for a site that has an entry, with what to do instead. */
export function alreadyConnected({ id, authType }: VaultEntry): CodedError {
  const [paste, signIn] = [`Use PATCH /vault/${id}`, `POST /vault/oauth/start with "entryId": "${id}"`]
  const how = {
    none: `${paste} to add a token, or ${signIn} to sign in`,
    bearer: `${paste} to replace the token`,
    oauth2: `Use ${signIn} to authorize it again`,
  }[authType]
  const message = `The vault already has an entry for this site. ${how}, or delete that entry first.`
  return new CodedError('TOKEN_EXISTS', { message })
}
