import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat, CodedError, isCoded } from '../errors.ts'
import { newId } from '../ids.ts'
import { parseSiteUrl } from '../safe-fetch/site-url.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { endSessions } from '../sessions/session.ts'
import { endLogins } from '../users/login.ts'
import { lockOwner } from '../users/user.ts'
import type { OidcClient } from './oidc-client.ts'
import { redirectUriOf, startUrlOf } from './provider.ts'
import { secretPlace, WorkspaceProvider } from './workspace-provider.ts'

interface Wanted {
  issuer: string
  clientId: string
  clientSecret: string
}

/** A workspace's sign-in settings: its provider, and the URLs that its admins pass on. */
export interface WorkspaceSignIn {
  workspaceId: string
  redirectUri: string
  startUrl: string
  provider: WorkspaceProvider | null
}

/** A workspace's only provider, which its admins choose. */
export function createWorkspaceProviders(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'http'>
  sealing: Sealing
  client: OidcClient
}) {
  const { database, clock, config, sealing, client } = context
  const { baseUrl } = config.http

  const present = (workspaceId: string, provider: WorkspaceProvider | undefined): WorkspaceSignIn => ({
    workspaceId,
    redirectUri: redirectUriOf(baseUrl, workspaceId),
    startUrl: startUrlOf(baseUrl, workspaceId),
    provider: provider ?? null,
  })

  /** Ends the logins that the provider opened, and what they opened. */
  async function endAll(trx: Transaction, workspaceId: string): Promise<void> {
    const now = clock.now()
    for (const userId of await endLogins(trx, { workspaceId }, { now }))
      await endSessions(trx, { ownerId: workspaceId, userId }, now)
  }

  const locked = async (trx: Transaction, workspaceId: string): Promise<WorkspaceProvider | undefined> => {
    await lockOwner(trx, workspaceId)
    return WorkspaceProvider.query(trx).findOne({ workspaceId }).forUpdate()
  }

  async function store(trx: Transaction, workspaceId: string, wanted: Wanted): Promise<WorkspaceProvider> {
    const before = await locked(trx, workspaceId)
    const same = before?.issuer === wanted.issuer && before.clientId === wanted.clientId
    const id = same ? before.id : newId()
    const clientSecret = sealing.seal(wanted.clientSecret, secretPlace(id))
    await endAll(trx, workspaceId)
    if (same) return before.$query(trx).patchAndFetch({ clientSecret })
    // An identity at another issuer or client may be another person.
    await WorkspaceProvider.query(trx).where({ workspaceId }).delete()
    const row = { ...wanted, id, workspaceId, clientSecret, createdAt: clock.now() }
    return WorkspaceProvider.query(trx).insertAndFetch(row)
  }

  /** Reads the provider's document. INVALID_URL, SITE_UNAVAILABLE, VALIDATION_ERROR (there is no provider). */
  async function assertUsable(workspaceId: string, wanted: Wanted): Promise<void> {
    const url = parseSiteUrl(wanted.issuer)
    const message = 'An issuer must not have a query.'
    assertThat(!url.href.includes('?') && !wanted.issuer.includes('?'), 'INVALID_URL', { message })
    // The id matches no row; it only selects the fetch for workspaces.
    const provider = { ...wanted, id: workspaceId, title: url.host, workspaceProviderId: workspaceId }
    await client.check(provider).catch((error: unknown) => {
      if (!isCoded(error, 'PERMISSION_DENIED')) throw error
      const { message: problem = noProvider } = error.details?.[0] ?? {}
      const details = [{ path: 'issuer', message: problem }]
      throw new CodedError('VALIDATION_ERROR', { message: problem, details, cause: error })
    })
  }

  return {
    get: async (workspaceId: string): Promise<WorkspaceSignIn> =>
      present(workspaceId, await WorkspaceProvider.query(database).findOne({ workspaceId })),

    /**
     * Sets the provider and replaces the earlier one. All earlier logins end. Linked identities stay only if issuer and
     * client are unchanged. INVALID_URL, SITE_UNAVAILABLE, VALIDATION_ERROR.
     */
    async put(workspaceId: string, wanted: Wanted): Promise<WorkspaceSignIn> {
      await assertUsable(workspaceId, wanted)
      return present(workspaceId, await database.transaction((trx) => store(trx, workspaceId, wanted)))
    },

    /** Removes the provider, its linked identities and its logins. NOT_FOUND if there is none. */
    remove: (workspaceId: string): Promise<void> =>
      database.transaction(async (trx) => {
        const provider = await locked(trx, workspaceId)
        assertThat(provider, 'NOT_FOUND', { message: 'This workspace has no sign-in provider.' })
        await WorkspaceProvider.query(trx).deleteById(provider.id)
        await endAll(trx, workspaceId)
      }),
  }
}

const noProvider = 'No OpenID Connect provider with this issuer was found, or its discovery document is invalid.'
