import { raw } from 'objection'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/database.ts'
import { assertThat, isCoded } from '../../errors.ts'
import type { Lease } from '../../database/lease.ts'
import type { Logger } from '../../logger.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import { page, type Page, type PageRequest } from '../../database/paging.ts'
import type { Sealing } from '../../secrets/sealing.ts'
import { foreignHosts } from '../../sites/foreign-hosts.ts'
import type { Dialect } from '../../sites/dialects/dialect.ts'
import type { Manifest } from '../../sites/manifest.ts'
import type { Sites } from '../../sites/sites.ts'
import type { HostProposals } from '../../tools/host-proposals.ts'
import { assertHostsAccepted } from '../accepted-hosts.ts'
import type { ConnectionState } from '../connections.ts'
import { sealCredential } from '../credential.ts'
import { createConfirmEffects } from './confirm-effects.ts'
import { createChooseTools } from './choose-tools.ts'
import { createListedFor, type Listed } from './listed-for.ts'
import { ManifestChange } from './manifest-change.ts'
import { createManifestReview, lockEntry, pendingIn, putIntoUse, recordDecision } from './review-manifest.ts'
import type { ManifestFinding } from './review-manifest.ts'
import { VaultEntry } from '../vault-entry.ts'
import { staleAt } from './wanted-checks.ts'

interface Acceptance {
  fingerprint: string
  acceptHosts: readonly string[]
}

type ListedChange = Pick<
  ManifestChange,
  'id' | 'class' | 'differences' | 'fingerprint' | 'status' | 'foundAt' | 'decidedAt'
>

type PendingManifest = Pick<ManifestChange, 'class' | 'fingerprint' | 'foundAt'>

/** Entries per round. Each site is fetched once for all its entries, and all sites are fetched in parallel. */
const batchSize = 20

/**
 * Pinned manifests: an entry works with the manifest that its owner has seen, or with a
 * compatible later one. A change that may break something, or that sends calls or credentials elsewhere, waits until
 * the owner accepts the difference shown.
 */
export function createManifests(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'sites'>
  logger: Logger
  lease: Lease
  sealing: Sealing
  sites: Pick<Sites, 'discover' | 'compare'>
  dialect: Pick<Dialect, 'isPersonal' | 'offersChoice'>
  proposals: HostProposals
  notifications: Pick<Notifications, 'notify'>
  /** The connection of an entry as it is now, with tokens that are still valid. */
  connectionOf: (entry: VaultEntry) => Promise<ConnectionState>
  /** Revokes a grant at its site. Never fails. */
  revoke: (entry: VaultEntry) => Promise<void>
}) {
  const { database, clock, config, logger, lease, sealing, dialect, proposals, revoke } = context
  const { review } = createManifestReview(context)
  const listedFor = createListedFor(context)

  /** Entries that share a site may have different lists of it. */
  const isListedAlone = ({ dialect: name }: VaultEntry): boolean =>
    dialect.isPersonal(name) || dialect.offersChoice(name)

  /** Records the check, whatever its outcome. The next check is due a full period later. */
  async function noteAsked(entries: readonly VaultEntry[], at: Date, listed: Listed | undefined): Promise<void> {
    const ids = entries.map(({ id }) => id)
    // A site that fails is not asked at every step.
    const manifestStaleAt = staleAt(at, listed?.staleAfterSeconds)
    await database.transaction(async (trx) =>
      VaultEntry.query(trx)
        .patch({ manifestCheckedAt: at, manifestStaleAt, manifestWantedAt: raw(ifWantedSince, at) })
        .whereIn('id', ids)
        .where('manifestCheckedAt', '<=', at),
    )
  }

  /** An unreachable site and an entry that was just removed need no attention. */
  function noteUnchecked(error: unknown, origin: string): void {
    const level = isCoded(error) ? 'debug' : 'warn'
    logger[level]({ err: error, origin }, "failed to check a site's manifest")
  }

  /** Entries of one site that are shown the same. */
  async function checkSite(entries: [VaultEntry, ...VaultEntry[]]): Promise<void> {
    const askedAt = clock.now()
    const { origin } = entries[0]
    let listed: Listed | undefined
    try {
      listed = await listedFor(entries[0], origin)
      const found = listed
      await proposals(origin, found.manifest)
      // A failure of one entry must not keep the change from the others.
      for (const { id } of entries)
        await review(id, found, askedAt, origin).catch((error: unknown) => noteUnchecked(error, origin))
    } catch (error) {
      noteUnchecked(error, origin)
    } finally {
      await noteAsked(entries, askedAt, listed)
    }
  }

  /**
   * If the auth type changes, the credential is useless and is erased. The tokens and the client of one foreign
   * authorization server are never sent to another.
   */
  function lostCredential(entry: VaultEntry, { auth }: Manifest): Partial<VaultEntry> {
    const isOther = entry.foreignScopes !== null && issuerOf(auth) !== issuerOf(entry.manifest.auth)
    if (auth.type === entry.authType && !isOther) return {}
    const how = { none: 'no sign-in', bearer: 'a bearer token', oauth2: 'OAuth 2.0' }[auth.type]
    return {
      authType: auth.type,
      scopes: null,
      foreignScopes: null,
      clientId: null,
      status: 'needs_reauth',
      statusReason: `The site now uses ${isOther && auth.type === 'oauth2' ? 'another authorization server' : how} and must be reconnected.`,
      credential: sealCredential(sealing, { id: entry.id, authType: auth.type }, { accessToken: '' }),
      // A refresh in progress must not restore the old credential.
      generation: entry.generation + 1,
      expiresAt: null,
      refreshAfter: null,
    }
  }

  return {
    confirmEffects: createConfirmEffects(context),

    chooseTools: createChooseTools({ ...context, listedFor, review }),

    /**
     * Fetches the site's manifest now. Fails with MANIFEST_NOT_FOUND and MANIFEST_INVALID (the pinned one stays, and
     * nothing is recorded), and with NOT_FOUND if the entry was removed in the meantime.
     */
    async refresh(entry: VaultEntry): Promise<ManifestFinding> {
      const askedAt = clock.now()
      let listed: Listed | undefined
      try {
        listed = await listedFor(entry, entry.ownerId)
        await proposals(entry.origin, listed.manifest)
        return await review(entry.id, listed, askedAt, entry.ownerId)
      } finally {
        await noteAsked([entry], askedAt, listed)
      }
    },

    /**
     * Puts the pending change into use if the owner was shown this one. VALIDATION_ERROR if another or no change is
     * pending, and for new outside hosts that were not accepted.
     */
    async accept({ id, ownerId }: VaultEntry, { fingerprint, acceptHosts }: Acceptance): Promise<VaultEntry> {
      const { before, after } = await database.transaction(async (trx) => {
        const entry = await lockEntry(trx, id)
        // The entry may have been moved since the caller's permission was checked.
        assertThat(entry.ownerId === ownerId, 'NOT_FOUND', { message: 'There is no vault entry with this id.' })
        const pending = await pendingIn(trx, id)
        assertPending(pending, fingerprint)
        const known = foreignHosts(entry.origin, entry.manifest)
        const wanted = foreignHosts(entry.origin, pending.manifest)
        assertHostsAccepted(
          wanted.filter((host) => !known.includes(host)),
          acceptHosts,
        )
        const now = clock.now()
        await recordDecision(trx, pending, 'accepted', now)
        const before = entry.$clone()
        const fields = { ...lostCredential(entry, pending.manifest), updatedAt: now }
        return { before, after: await putIntoUse(trx, entry, pending, fields) }
      })
      if (before.generation !== after.generation) await revoke(before)
      return after
    },

    history: ({ id }: VaultEntry, request: PageRequest): Promise<Page<ListedChange>> => {
      const changes = ManifestChange.query(database).where({ entryId: id })
      const listed = changes.select('id', 'class', 'differences', 'fingerprint', 'status', 'foundAt', 'decidedAt')
      return page(listed, { list: 'changes', time: 'foundAt', bytes: 'octet_length(differences::text)', ...request })
    },

    async pendingOf(entryIds: readonly string[]): Promise<Map<string, PendingManifest>> {
      const rows = await ManifestChange.query(database)
        .select('entryId', 'class', 'fingerprint', 'foundAt')
        .where({ status: 'pending' })
        .whereIn('entryId', entryIds)
      return new Map(rows.map(({ entryId, ...pending }) => [entryId, pending]))
    },

    /**
     * Checks one batch of the manifests whose last check is more than MANIFEST_CHECK_HOURS ago, oldest check first, and
     * one of those that are wanted before. A lease lets one process work at a time. A silent site is retried one period
     * later.
     */
    checkDue: async (): Promise<void> => {
      const { manifestTimeoutSeconds, manifestCheckHours } = config.sites
      if (!(await lease.hold('manifests', manifestTimeoutSeconds + 30))) return
      const before = new Date(clock.now().getTime() - manifestCheckHours * 60 * 60 * 1000)
      const entries = () => VaultEntry.query(database).limit(batchSize)
      const old = await entries().where('manifestCheckedAt', '<', before).orderBy('manifestCheckedAt')
      const wanted = await entries().whereNotNull('manifestWantedAt').orderBy('manifestWantedAt')
      const due = new Map([...old, ...wanted].map((entry) => [entry.id, entry])).values()
      const together = Map.groupBy(due, (entry) => (isListedAlone(entry) ? entry.id : entry.origin))
      await Promise.all([...together.values()].map((entries) => checkSite(entries as [VaultEntry, ...VaultEntry[]])))
    },
  }
}

/** A check that is wanted since this one began, for example for a new credential, stays wanted. */
const ifWantedSince = 'case when manifest_wanted_at > ? then manifest_wanted_at end'

/** The authorization server, as far as it is known. */
const issuerOf = (auth: Manifest['auth']): string | undefined =>
  auth.type === 'oauth2' ? (auth.issuer ?? `${auth.authorization_url} ${auth.token_url}`) : undefined

function assertPending(pending: ManifestChange | undefined, fingerprint: string): asserts pending is ManifestChange {
  const message =
    pending === undefined
      ? 'There is no pending manifest change to accept.'
      : 'This is no longer the pending change because the site has changed its manifest again. Review the new change.'
  assertThat(pending?.fingerprint === fingerprint, 'VALIDATION_ERROR', {
    message,
    details: [{ path: 'fingerprint', message }],
  })
}
