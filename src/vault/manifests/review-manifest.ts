import { jsonFingerprint } from '../../canonical-json.ts'
import type { Clock } from '../../clock.ts'
import { vaultEntryPage } from '../../console-pages.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { assertThat } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { ChangeClass, Difference } from '../../sites/changes/difference.ts'
import { stillConfirmed } from '../../sites/confirmed-effects.ts'
import type { Manifest } from '../../sites/manifest.ts'
import type { ComparedManifests } from '../../sites/in-thread.ts'
import type { Sites } from '../../sites/sites.ts'
import type { Listed } from './listed-for.ts'
import { ManifestChange } from './manifest-change.ts'
import { VaultEntry } from '../vault-entry.ts'
import { quotedName, quotedWords } from '../../names.ts'

export interface ManifestFinding {
  class: ChangeClass
  /** `none`: the site publishes the pinned manifest. `pending`: the change waits for the owner. */
  status: 'none' | 'adopted' | 'pending'
  fingerprint: string
  differences: Difference[]
  foundAt: Date
}

/** Decided changes kept per entry; each holds a whole manifest. */
const mostKept = 50
/** Differences listed in a notification. The page that accepts the change shows all of them. */
const mostListed = 10

const mustBeAccepted = new Set<ChangeClass>(['breaking', 'changed_address'])

const noEntry = { message: 'There is no vault entry with this id.' }

/** Locks the entry's row, as every decision about its manifest requires. NOT_FOUND if it is gone. */
export async function lockEntry(trx: Transaction, entryId: string): Promise<VaultEntry> {
  const entry = await VaultEntry.query(trx).findById(entryId).forUpdate()
  assertThat(entry, 'NOT_FOUND', noEntry)
  return entry
}

export const pendingIn = async (trx: Transaction, entryId: string): Promise<ManifestChange | undefined> =>
  ManifestChange.query(trx).findOne({ entryId, status: 'pending' })

export async function putIntoUse(
  trx: Transaction,
  entry: VaultEntry,
  { manifest, foundAt }: Pick<ManifestChange, 'manifest' | 'foundAt'>,
  fields: Partial<VaultEntry>,
): Promise<VaultEntry> {
  const name = manifest.name
  return entry.$query(trx).patchAndFetch({ manifest, name, manifestFetchedAt: foundAt, ...fields })
}

export function createManifestReview(context: {
  database: Database
  clock: Clock
  sites: Pick<Sites, 'compare'>
  notifications: Pick<Notifications, 'notify'>
}) {
  const { database, clock, sites, notifications } = context

  async function record(
    trx: Transaction,
    entry: VaultEntry,
    manifest: Manifest,
    change: ComparedManifests,
  ): Promise<ManifestFinding> {
    const now = clock.now()
    const pending = await pendingIn(trx, entry.id)
    if (pending?.fingerprint === change.fingerprint) return waiting(pending)
    const found = { ...change, foundAt: now }
    if (pending) await recordDecision(trx, pending, change.class === 'none' ? 'withdrawn' : 'superseded', now)
    if (change.class === 'none') return { ...found, status: 'none' }
    const waits = mustBeAccepted.has(change.class)
    const status = waits ? ('pending' as const) : ('adopted' as const)
    const row = { id: newId(), entryId: entry.id, ...found, class: change.class, manifest }
    await ManifestChange.query(trx).insert({ ...row, status, decidedAt: waits ? null : now })
    if (waits || change.class === 'new_scope') await notifications.notify(trx, notificationOf(entry, row))
    if (!waits) await putIntoUse(trx, entry, row, { updatedAt: now })
    await forgetOld(trx, entry.id)
    return { ...found, status }
  }

  return {
    /**
     * Compares a fetched manifest with the pinned one: adopts it, keeps it until the owner decides, or finds no change.
     * `askedAt` is the time of the request; if two answers arrive out of order, the later request counts. `party` is
     * the fairness key in the threads. If the site hid its tools, only the sign-in is compared. Fails with NOT_FOUND,
     * and MANIFEST_INVALID if the manifests cannot be compared.
     */
    review: async (entryId: string, listed: Listed, askedAt: Date, party: string): Promise<ManifestFinding> => {
      for (;;) {
        // The comparison may wait for a thread, so it runs before the row is locked.
        const seen = await VaultEntry.query(database).findById(entryId)
        assertThat(seen, 'NOT_FOUND', noEntry)
        const manifest = listed.toolsHidden ? { ...seen.manifest, auth: listed.manifest.auth } : listed.manifest
        const change = await sites.compare(seen.manifest, manifest, party)
        const finding = await database.transaction(async (trx) => {
          const entry = await lockEntry(trx, entryId)
          if (entry.manifestCheckedAt > askedAt) return recordedFinding(entry, await pendingIn(trx, entryId))
          if (entry.manifestFetchedAt.getTime() !== seen.manifestFetchedAt.getTime()) return undefined
          // A withdrawn proposal counts at once, whether or not the rest of the change waits.
          const confirmedEffects = stillConfirmed(entry.confirmedEffects, manifest)
          await VaultEntry.query(trx).findById(entryId).patch({ manifestCheckedAt: askedAt, confirmedEffects })
          return record(trx, entry, manifest, change)
        })
        if (finding) return finding
      }
    },
  }
}

const waiting = ({ class: found, fingerprint, differences, foundAt }: ManifestChange): ManifestFinding => ({
  class: found,
  status: 'pending',
  fingerprint,
  differences,
  foundAt,
})

/** The recorded finding, for an answer that arrived too late. */
function recordedFinding(entry: VaultEntry, pending: ManifestChange | undefined): ManifestFinding {
  if (pending) return waiting(pending)
  const fingerprint = jsonFingerprint(entry.manifest)
  return { class: 'none', status: 'none', fingerprint, differences: [], foundAt: entry.manifestCheckedAt }
}

export async function recordDecision(
  trx: Transaction,
  { id }: ManifestChange,
  status: 'accepted' | 'superseded' | 'withdrawn',
  decidedAt: Date,
): Promise<void> {
  await ManifestChange.query(trx).findById(id).patch({ status, decidedAt })
}

async function forgetOld(trx: Transaction, entryId: string): Promise<void> {
  const old = ManifestChange.query(trx)
    .select('id')
    .where({ entryId })
    .whereNot({ status: 'pending' })
    .orderBy('id', 'desc')
    .offset(mostKept)
  await ManifestChange.query(trx).delete().whereIn('id', old)
}

const waitsForConsent = {
  consequence: 'The change takes effect only after you accept it.',
  title: 'A connected site has changed and needs your approval',
}
const wordings = {
  changed_address: { what: 'would send calls or credentials to different addresses', ...waitsForConsent },
  breaking: { what: "could make your agents' calls fail or repeat", ...waitsForConsent },
  new_scope: {
    what: 'lets its tools do more',
    consequence: "The change is already in effect. Agents that can use all of the site's tools can use the new ones.",
    title: 'A connected site can do more than before',
  },
}

const unlessNotGranted = 'If the site did not grant their scopes, authorize it again first.'

/** A path consists of names that the site chose, separated by dots. */
const listedAs = ({ path, message }: Difference): string =>
  path === '' ? message : `${quotedWords(path.replaceAll('.', ' › '))}: ${message}`

function notificationOf(entry: VaultEntry, change: Pick<ManifestChange, 'class' | 'differences' | 'fingerprint'>) {
  const listed = change.differences.slice(0, mostListed).map(listedAs)
  const { what, consequence, title } =
    wordings[change.class === 'new_scope' || change.class === 'changed_address' ? change.class : 'breaking']
  const unless = change.class === 'new_scope' && entry.authType === 'oauth2' ? ` ${unlessNotGranted}` : ''
  const message = `${entry.origin} has changed its manifest in a way that ${what}. ${consequence}${unless}`
  return {
    ownerId: entry.ownerId,
    kind: 'manifest_changed' as const,
    subjectId: entry.id,
    key: change.fingerprint,
    consolePage: vaultEntryPage(entry.id),
    title: `${title}: ${quotedName(entry.name)}`,
    message: [message, ...listed],
  }
}
