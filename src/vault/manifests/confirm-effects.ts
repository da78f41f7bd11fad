import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { assertThat, type ErrorDetail } from '../../errors.ts'
import { isProposed, type ConfirmedEffects } from '../../sites/confirmed-effects.ts'
import type { Manifest } from '../../sites/manifest.ts'
import type { Effect, ManifestTool } from '../../sites/tool.ts'
import type { VaultEntry } from '../vault-entry.ts'
import { lockEntry, pendingIn } from './review-manifest.ts'

interface WantedEffect {
  name: string
  effect: Effect
}

/** What the site lists, in use and pending. */
interface Lists {
  current: Manifest
  pending: Manifest | undefined
}

/**
 * Confirms effects that a site only proposes (docs/understand/effects.md, "Proposed effects"), or takes confirmations
 * back with `once`. VALIDATION_ERROR for a tool that the site does not have, and for an effect that it does not propose,
 * now or in the pending change. Then no effect is changed.
 */
export function createConfirmEffects({ database, clock }: { database: Database; clock: Clock }) {
  return ({ id, ownerId }: VaultEntry, wanted: readonly WantedEffect[]): Promise<VaultEntry> =>
    database.transaction(async (trx) => {
      const entry = await lockEntry(trx, id)
      // The entry may have been moved since the caller's permission was checked.
      assertThat(entry.ownerId === ownerId, 'NOT_FOUND', { message: 'There is no vault entry with this id.' })
      const pending = await pendingIn(trx, id)
      assertProposed(wanted, { current: entry.manifest, pending: pending?.manifest })
      const confirmedEffects = changed(entry.confirmedEffects, wanted)
      return entry.$query(trx).patchAndFetch({ confirmedEffects, updatedAt: clock.now() })
    })
}

function assertProposed(wanted: readonly WantedEffect[], lists: Lists): void {
  const names = wanted.map(({ name }) => name)
  const details = wanted.flatMap((one, index): ErrorDetail[] => {
    const repeated = names.indexOf(one.name) < index ? 'Each tool must appear only once.' : undefined
    const message = repeated ?? problemOf(one, lists)
    return message === undefined ? [] : [{ path: `tools.${index}`, message }]
  })
  const message = `No effect was changed. ${details[0]?.message ?? ''}`
  assertThat(details.length === 0, 'VALIDATION_ERROR', { message, details })
}

function problemOf({ name, effect }: WantedEffect, { current, pending }: Lists): string | undefined {
  const tool = toolNamed(name, current)
  const quoted = JSON.stringify(name)
  if (!tool) return `The site has no tool named ${quoted}.`
  if (tool.effect !== undefined) return `The site declares the effect of ${quoted}, so there is nothing to confirm.`
  if (effect === 'once') return undefined
  if (!isProposed(tool, effect)) return refusal(quoted, tool)
  const later = pending && toolNamed(name, pending)
  if (!pending || (later && isProposed(later, effect))) return undefined
  return `The site has withdrawn its proposal for ${quoted} in a change that waits for you.`
}

const refusal = (quoted: string, { proposed_effect: proposed }: ManifestTool): string =>
  proposed === undefined
    ? `The site does not propose that calls of ${quoted} may be repeated, so its effect can only be "once".`
    : `The site proposes the effect "${proposed}" for ${quoted}. Confirm this one, or choose "once".`

const toolNamed = (name: string, { tools }: Manifest): ManifestTool | undefined =>
  tools.find((tool) => tool.name === name)

const changed = (confirmed: ConfirmedEffects, wanted: readonly WantedEffect[]): ConfirmedEffects => {
  const names = new Set(wanted.map(({ name }) => name))
  const others = Object.entries(confirmed).filter(([name]) => !names.has(name))
  const added = wanted.flatMap(({ name, effect }) => (effect === 'once' ? [] : [[name, effect] as const]))
  return Object.fromEntries([...others, ...added])
}
