import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../clock.ts'
import type { Transaction } from '../../database/database.ts'
import { assertThat, CodedError, isCoded, problemAt } from '../../errors.ts'
import type { Sealing } from '../../secrets/sealing.ts'
import type { ListedSite } from '../../sites/dialects/dialect.ts'
import type { Manifest } from '../../sites/manifest.ts'
import { describeTool } from '../../sites/tool.ts'
import type { Credential } from '../credential.ts'
import { staleAt } from '../manifests/wanted-checks.ts'
import type { VaultEntry } from '../vault-entry.ts'
import { grantFields } from './grant-fields.ts'
import { assertNotEnded, clientOfFlow, type OAuthFlow } from './oauth-flow.ts'
import type { Grant } from './token-outcome.ts'

export type NewFields = Pick<VaultEntry, 'ownerId' | 'origin' | 'manifest'> & Partial<VaultEntry>

type Listed = Pick<ListedSite, 'manifest' | 'staleAfterSeconds'>

export interface InsertOptions {
  id?: string
  /** Throws if the entry must not be stored any longer. */
  check?: (trx: Transaction) => Promise<void>
}

/**
 * Makes the function that stores the grant of a finished flow, with what the site lists to its owner: in a new entry, or
 * in the one that was authorized again, whose pinned list stays.
 */
export function createKeepGrant(context: {
  clock: Clock
  sealing: Sealing
  insert: (fields: NewFields, credential: Credential, options: InsertOptions) => Promise<VaultEntry>
  renew: (
    entry: { id: string; ownerId: string; by: string | null },
    auth: Manifest['auth'],
    credential: Credential,
    fields: Partial<VaultEntry>,
    check: (entry: VaultEntry, trx: Transaction) => Promise<void>,
  ) => Promise<VaultEntry>
}) {
  const { clock, sealing, insert, renew } = context
  return async (flow: OAuthFlow, grant: Grant, listed: Listed = flow): Promise<VaultEntry> => {
    const { manifest, staleAfterSeconds } = listed
    const { ownerId, userId: connectedBy, dialect, origin, clientId, entryId } = flow
    const fields = { clientId, ...grantFields(grant, askedBy(flow, manifest), clock.now()) }
    const { accessToken, refreshToken } = grant
    const credential = { accessToken, refreshToken, clientSecret: clientOfFlow(sealing, flow).client.secret }
    const goesOn = (trx: Transaction) => assertNotEnded(trx, flow)
    const isSame = async (entry: VaultEntry, trx: Transaction) => {
      assertSameSite(flow, entry)
      await goesOn(trx)
    }
    const renewed = { id: entryId ?? '', ownerId, by: connectedBy }
    if (entryId) return renew(renewed, flow.manifest.auth, credential, fields, isSame)
    // The entry takes the flow's id, so a repeated store inserts nothing.
    const manifestStaleAt = staleAt(clock.now(), staleAfterSeconds)
    const made = { ownerId, connectedBy, dialect, origin, manifest, manifestStaleAt, ...fields }
    return insert(made, credential, { id: flow.id, check: goesOn }).catch(refuseLeaver)
  }
}

const askedBy = ({ scopes, foreignScopes }: OAuthFlow, { tools }: Manifest) =>
  foreignScopes
    ? { foreignScopes: { granted: foreignScopes, asked: [] }, isRefresh: false }
    : { scopes, tools: tools.map(describeTool), isRefresh: false }

/** A returning browser must not learn that the workspace exists. */
function refuseLeaver(error: unknown): never {
  if (!isCoded(error, 'WORKSPACE_NOT_FOUND')) throw error
  throw new CodedError('NOT_FOUND', { message: 'The user who started connecting the site has left the workspace.' })
}

/**
 * The owner may have accepted other addresses since the flow began. The grant comes from the old ones. An entry that has
 * no grant yet keeps the sign-in of the flow.
 */
function assertSameSite({ manifest, createdAt }: OAuthFlow, entry: VaultEntry): void {
  const message = "The site's authentication settings changed after this connection attempt started. Start again."
  const isFirst = entry.authType !== 'oauth2' && entry.manifestFetchedAt <= createdAt
  const same = isFirst || isDeepStrictEqual(manifest.auth, entry.manifest.auth)
  assertThat(same, 'VALIDATION_ERROR', problemAt('state', message))
}
