import type { Sealing } from '../secrets/sealing.ts'
import type { DialectName } from '../sites/dialects/dialect-name.ts'
import type { OAuthSite } from '../sites/manifest.ts'
import type { VaultEntry } from './vault-entry.ts'

/** An owner's credential for a site: a pasted token (empty: none), or the two tokens of a grant. */
export interface Credential {
  accessToken: string
  /** Valid for one use; the site then issues the next one. */
  refreshToken?: string | undefined
  /** Of the client that holds the grant, unless it is a public one. */
  clientSecret?: ClientSecret | undefined
}

/** The secret of a client, and how it is sent (RFC 6749, 2.3.1). */
export interface ClientSecret {
  value: string
  method: 'client_secret_basic' | 'client_secret_post'
}

/** The platform as a client of a site. */
export interface SiteClient {
  id: string
  secret?: ClientSecret | undefined
}

/** A site with OAuth, and the client that asks it for tokens. */
export interface ClientOfSite {
  dialect: DialectName
  auth: OAuthSite
  client: SiteClient
}

type Place = Parameters<Sealing['seal']>[1]

/** Seals the secret of a client for its row; null for a public client. */
export const sealClientSecret = (sealing: Sealing, place: Place, secret: ClientSecret | undefined): string | null =>
  secret ? sealing.seal(JSON.stringify(secret), place) : null

/** Opens it again. Throws if its key is no longer configured. */
export const openClientSecret = (sealing: Sealing, place: Place, sealed: string | null): ClientSecret | undefined =>
  sealed === null ? undefined : (JSON.parse(sealing.open(sealed, place)) as ClientSecret)

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

/** The secrets of a credential as they would be seen in a text. */
export const secretsIn = ({ accessToken, refreshToken, clientSecret }: Credential): string[] =>
  [accessToken, refreshToken, clientSecret?.value].filter((secret) => secret !== undefined)

/** The client that holds the grant of an entry with OAuth. Throws as `openCredential` does. */
export function clientOfEntry(
  sealing: Sealing,
  entry: Pick<VaultEntry, 'id' | 'authType' | 'credential' | 'dialect' | 'manifest' | 'clientId'>,
): ClientOfSite {
  const { clientSecret } = openCredential(sealing, entry)
  const client = { id: entry.clientId ?? '', secret: clientSecret }
  return { dialect: entry.dialect, auth: entry.manifest.auth as OAuthSite, client }
}
