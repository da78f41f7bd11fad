import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { assertThat } from '../../errors.ts'
import { stillConfirmed } from '../../sites/confirmed-effects.ts'
import type { Dialect } from '../../sites/dialects/dialect.ts'
import type { Manifest } from '../../sites/manifest.ts'
import { scopesInWords } from '../../sites/scope-words.ts'
import { assertChosen } from '../choice.ts'
import type { VaultEntry } from '../vault-entry.ts'
import type { Listed } from './listed-for.ts'
import type { ManifestFinding } from './review-manifest.ts'
import { lockEntry, pendingIn, putIntoUse, recordDecision } from './review-manifest.ts'

/**
 * Makes the function that changes which tools of a site an entry has. That is its owner's decision, so it takes effect
 * at once: tools that stay are used as they were pinned, and new ones as the site lists them now. What else the site has
 * changed is reviewed like every change. VALIDATION_ERROR for a site without a choice and for an unusable one;
 * otherwise it fails as `Sites.discover` does.
 */
export function createChooseTools(context: {
  database: Database
  clock: Clock
  dialect: Pick<Dialect, 'offersChoice'>
  listedFor: (entry: VaultEntry, party: string, chosen: readonly string[]) => Promise<Listed>
  review: (entryId: string, listed: Listed, askedAt: Date, party: string) => Promise<ManifestFinding>
}) {
  const { database, clock, dialect, listedFor, review } = context

  const change = ({ id, ownerId }: VaultEntry, listed: Manifest): Promise<VaultEntry> =>
    database.transaction(async (trx) => {
      const entry = await lockEntry(trx, id)
      // The entry may have been moved since the caller's permission was checked.
      assertThat(entry.ownerId === ownerId, 'NOT_FOUND', { message: 'There is no vault entry with this id.' })
      const now = clock.now()
      // It was compared with the tools of before.
      const pending = await pendingIn(trx, id)
      if (pending) await recordDecision(trx, pending, 'superseded', now)
      const manifest = withTools(entry.manifest, listed)
      const confirmedEffects = stillConfirmed(entry.confirmedEffects, manifest)
      // A list that was asked for before lists other tools, so its answer must not count any more.
      const scopeNote = noteAfter(entry, listed)
      const fields = { confirmedEffects, scopeNote, manifestCheckedAt: now, updatedAt: now }
      return putIntoUse(trx, entry, { manifest, foundAt: now }, fields)
    })

  return async (entry: VaultEntry, names: readonly string[]): Promise<VaultEntry> => {
    const chosen = [...new Set(names)]
    if (!dialect.offersChoice(entry.dialect)) assertChosen(entry, chosen)
    const listed = await listedFor(entry, entry.ownerId, chosen)
    assertChosen(listed, chosen)
    const changed = await change(entry, listed.manifest)
    await review(entry.id, listed, clock.now(), entry.ownerId)
    return changed.$query(database).throwIfNotFound()
  }
}

/** What the owner reads about the grant. A note about an earlier choice ends with it. */
function noteAfter(entry: VaultEntry, listed: Manifest): string | null {
  const { scopeNote, manifest } = entry
  return ungranted(entry, listed) ?? (scopeNote === ungranted(entry, manifest) ? null : scopeNote)
}

/** A foreign grant decides nothing, so a tool without its scope is called. The owner reads why the site refuses it. */
function ungranted({ foreignScopes }: VaultEntry, { auth }: Manifest): string | null {
  const needed = auth.type === 'oauth2' ? (auth.requested_scopes ?? []) : []
  const missing = foreignScopes ? needed.filter((scope) => !foreignScopes.granted.includes(scope)) : []
  return missing.length === 0
    ? null
    : `Chosen tools need ${scopesInWords(missing)}, which was not granted. Authorize the site again to request it.`
}

const withTools = (pinned: Manifest, listed: Manifest): Manifest => ({
  ...pinned,
  tools: listed.tools.map((tool) => pinned.tools.find(({ name }) => name === tool.name) ?? tool),
})
