import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/database.ts'
import { assertThat, isCoded } from '../../errors.ts'
import type { Lease } from '../../database/lease.ts'
import type { Logger } from '../../logger.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import { page, type Page, type PageRequest } from '../../database/paging.ts'
import type { Sealing } from '../../secrets/sealing.ts'
import type { Manifest } from '../../sites/manifest/manifest.ts'
import type { Sites } from '../../sites/sites.ts'
import { assertHostsAccepted } from '../accepted-hosts.ts'
import { sealCredential } from '../credential.ts'
import { ManifestChange } from './manifest-change.ts'
import { createManifestJudgement, lockEntry, pendingIn, putIntoUse, settle } from './review-manifest.ts'
import type { ManifestFinding } from './review-manifest.ts'
import { VaultEntry } from '../vault-entry.ts'

/** What an owner says yes to. */
interface Acceptance {
  /** Of the change that was shown. */
  fingerprint: string
  /** Hosts outside the site's own domain that the owner has seen and lets the credential go to. */
  acceptHosts: readonly string[]
}

/** A change as it is listed: without the manifest itself. */
type ListedChange = Pick<
  ManifestChange,
  'id' | 'class' | 'differences' | 'fingerprint' | 'status' | 'foundAt' | 'decidedAt'
>

/** What an entry says of a change that waits. */
export type PendingManifest = Pick<ManifestChange, 'class' | 'fingerprint' | 'foundAt'>

/** Entries that one round looks at. Sites are asked once for all entries of theirs, and all at the same time. */
const batchSize = 20

/**
 * Pinned manifests (docs/design.md, "Pinned"): an entry works with the manifest that its owner has seen, or with a
 * later one that takes nothing away. What could break, and what would send calls or credentials elsewhere, waits until
 * its owner has accepted the shown difference.
 */
export function createManifests(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'sites'>
  logger: Logger
  lease: Lease
  sealing: Sealing
  sites: Pick<Sites, 'discover' | 'compareManifests' | 'foreignHostsOf'>
  notifications: Pick<Notifications, 'tell'>
  /** Gives a grant back to its site; never fails. */
  revoke: (entry: VaultEntry) => Promise<void>
}) {
  const { database, clock, config, logger, lease, sealing, sites, revoke } = context
  const { judge } = createManifestJudgement(context)

  /** That the site was asked, whatever came of it: it is asked again when the next period is over. */
  async function noteAsked(entries: readonly VaultEntry[], at: Date): Promise<void> {
    const ids = entries.map(({ id }) => id)
    await VaultEntry.query(database)
      .patch({ manifestCheckedAt: at })
      .whereIn('id', ids)
      .where('manifestCheckedAt', '<', at)
  }

  async function checkSite(origin: string, entries: VaultEntry[]): Promise<void> {
    const askedAt = clock.now()
    try {
      const { manifest } = await sites.discover(origin)
      for (const { id } of entries) await judge(id, manifest, askedAt)
    } catch (error) {
      // A site that is away, or an entry that was removed meanwhile, is nothing to look into.
      const level = isCoded(error) ? 'debug' : 'warn'
      logger[level]({ err: error, origin }, 'the manifest of a site was not checked')
    } finally {
      await noteAsked(entries, askedAt)
    }
  }

  /** What a change of the way to connect does to the credential: it is worth nothing any more, and is forgotten. */
  function lostCredential(entry: VaultEntry, { auth }: Manifest): Partial<VaultEntry> {
    if (auth.type === entry.authType) return {}
    const how = auth.type === 'oauth2' ? 'by OAuth 2.0' : 'with a token made there'
    return {
      authType: auth.type,
      scopes: null,
      clientId: null,
      status: 'needs_reauth',
      statusReason: `The site connects ${how} now, so it has to be connected again.`,
      credential: sealCredential(sealing, { id: entry.id, authType: auth.type }, { accessToken: '' }),
      // Whoever is renewing the old one must not bring it back.
      generation: entry.generation + 1,
      expiresAt: null,
      refreshAfter: null,
    }
  }

  return {
    /**
     * Asks the site for its manifest now. Fails with MANIFEST_NOT_FOUND and MANIFEST_INVALID (the one in use stays, and
     * nothing is recorded) and with NOT_FOUND when the entry was removed meanwhile.
     */
    async refresh(entry: VaultEntry): Promise<ManifestFinding> {
      const askedAt = clock.now()
      try {
        const { manifest } = await sites.discover(entry.origin)
        return await judge(entry.id, manifest, askedAt)
      } finally {
        await noteAsked([entry], askedAt)
      }
    },

    /**
     * Puts the change that waits into use, if it is the one that the owner was shown. VALIDATION_ERROR when none waits or
     * another one, and for hosts outside the site that are new and were not accepted.
     */
    async accept({ id }: VaultEntry, { fingerprint, acceptHosts }: Acceptance): Promise<VaultEntry> {
      const { before, after } = await database.transaction(async (trx) => {
        const entry = await lockEntry(trx, id)
        const pending = await pendingIn(trx, id)
        assertWaits(pending, fingerprint)
        const known = sites.foreignHostsOf(entry.origin, entry.manifest)
        const wanted = sites.foreignHostsOf(entry.origin, pending.manifest)
        assertHostsAccepted(
          wanted.filter((host) => !known.includes(host)),
          acceptHosts,
        )
        const now = clock.now()
        await settle(trx, pending, 'accepted', now)
        const before = entry.$clone()
        const fields = { ...lostCredential(entry, pending.manifest), updatedAt: now }
        return { before, after: await putIntoUse(trx, entry, pending, fields) }
      })
      if (before.authType !== after.authType) await revoke(before)
      return after
    },

    /** The changes of an entry, newest first, those that were taken over without asking included. */
    history: ({ id }: VaultEntry, request: PageRequest): Promise<Page<ListedChange>> => {
      const changes = ManifestChange.query(database).where({ entryId: id })
      const listed = changes.select('id', 'class', 'differences', 'fingerprint', 'status', 'foundAt', 'decidedAt')
      return page(listed, { list: 'changes', ...request })
    },

    /** Which of the entries have a change that waits for their owner, and which one. */
    async pendingOf(entryIds: readonly string[]): Promise<Map<string, PendingManifest>> {
      const rows = await ManifestChange.query(database)
        .select('entryId', 'class', 'fingerprint', 'foundAt')
        .where({ status: 'pending' })
        .whereIn('entryId', entryIds)
      return new Map(rows.map(({ entryId, ...pending }) => [entryId, pending]))
    },

    /**
     * Looks at the manifests that were not looked at for MANIFEST_CHECK_HOURS, those that wait longest first, one batch at
     * a time. For a loop: in all processes together one works. A site that does not answer is asked again a period later.
     */
    checkDue: async (): Promise<void> => {
      const { manifestTimeoutSeconds, manifestCheckHours } = config.sites
      if (!(await lease.hold('manifests', manifestTimeoutSeconds + 30))) return
      const before = new Date(clock.now().getTime() - manifestCheckHours * 60 * 60 * 1000)
      const due = await VaultEntry.query(database)
        .where('manifestCheckedAt', '<', before)
        .orderBy('manifestCheckedAt')
        .limit(batchSize)
      const byOrigin = Map.groupBy(due, ({ origin }) => origin)
      await Promise.all([...byOrigin].map(([origin, entries]) => checkSite(origin, entries)))
    },
  }
}

function assertWaits(pending: ManifestChange | undefined, fingerprint: string): asserts pending is ManifestChange {
  const message =
    pending === undefined
      ? 'No change of the manifest waits to be accepted.'
      : 'The difference shown is not the one that waits: the site has changed its manifest again. Look at it anew.'
  assertThat(pending?.fingerprint === fingerprint, 'VALIDATION_ERROR', {
    message,
    details: [{ path: 'fingerprint', message }],
  })
}
