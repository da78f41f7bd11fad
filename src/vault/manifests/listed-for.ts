import { isDeepStrictEqual } from 'node:util'
import { CodedError } from '../../errors.ts'
import type { Sealing } from '../../secrets/sealing.ts'
import type { Dialect, KnownSite } from '../../sites/dialects/dialect.ts'
import type { OAuthSite } from '../../sites/manifest.ts'
import type { DiscoveredSite, Sites } from '../../sites/sites.ts'
import type { ConnectionState } from '../connections.ts'
import { openCredential } from '../credential.ts'
import type { VaultEntry } from '../vault-entry.ts'

export type Listed = Pick<DiscoveredSite, 'manifest' | 'offered' | 'toolsHidden' | 'staleAfterSeconds'>

type List = (known: Omit<KnownSite, 'dialect'>) => Promise<Listed>

/**
 * Makes the function that lists the site of an entry, if need be with the entry's credential. Of a site that refuses the
 * credential and says that users sign in differently now, only that is listed (`toolsHidden`). It fails as
 * `Sites.discover` does.
 */
export function createListedFor(context: {
  sealing: Sealing
  sites: Pick<Sites, 'discover'>
  dialect: Pick<Dialect, 'isPersonal' | 'offersChoice'>
  /** The connection of an entry as it is now, with tokens that are still valid. */
  connectionOf: (entry: VaultEntry) => Promise<ConnectionState>
}) {
  const { sealing, sites, dialect, connectionOf } = context

  async function forPasted(entry: VaultEntry, list: List): Promise<Listed> {
    const { accessToken: token } = openCredential(sealing, entry)
    try {
      return await list({ token })
    } catch (error) {
      const shown = token === '' ? undefined : await list({}).catch(() => undefined)
      if (shown?.toolsHidden && shown.manifest.auth.type === 'oauth2') return shown
      throw error
    }
  }

  /** A site that does not say how users sign in is listed with the sign-in of the token that it got. */
  const pastedIn = (entry: VaultEntry): string =>
    entry.authType === 'bearer' ? openCredential(sealing, entry).accessToken : ''

  /** How users sign in is only said to those who have not. */
  async function forGrant(entry: VaultEntry, list: List): Promise<Listed> {
    const shown = await list({ wantsSignIn: true })
    const { auth } = shown.manifest
    // Metadata that is missing for a moment must not look like another kind of sign-in.
    if (auth.type === 'bearer') throw notFound(noSignIn)
    const state = await connectionOf(entry)
    // A site that lists to everybody may still want the grant for calls.
    if (auth.type === 'none' && state.kind === 'dead') return shown
    try {
      return await list({ token: tokenIn(state), auth: auth.type === 'oauth2' ? auth : authOf(entry) })
    } catch (error) {
      if (shown.toolsHidden && !isDeepStrictEqual(auth, entry.manifest.auth)) return shown
      throw error
    }
  }

  /** `chosen`: other tools than the entry has, at a site that offers a choice. */
  return (entry: VaultEntry, party: string, chosen?: readonly string[]): Promise<Listed> => {
    const { dialect: name, origin, authType, manifest } = entry
    const list: List = (known) => sites.discover(origin, party, { dialect: name, ...known })
    if (dialect.offersChoice(name)) {
      const names = chosen ?? manifest.tools.map((tool) => tool.name)
      const { server } = manifest
      return list({ token: pastedIn(entry), wantsSignIn: authType === 'oauth2', chosen: names, server })
    }
    if (!dialect.isPersonal(name)) return list({})
    return authType === 'oauth2' ? forGrant(entry, list) : forPasted(entry, list)
  }
}

function tokenIn(state: ConnectionState): string {
  if (state.kind === 'ready') return state.connection.token
  throw notFound('message' in state ? state.message : 'The site is removed.')
}

const authOf = ({ manifest }: VaultEntry): OAuthSite => manifest.auth as OAuthSite

const notFound = (message: string): CodedError => new CodedError('MANIFEST_NOT_FOUND', { message })

const noSignIn = 'The site requires sign-in, but it does not say how at the moment. Its tools were not listed.'
