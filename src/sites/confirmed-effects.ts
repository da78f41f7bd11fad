import type { Manifest } from './manifest.ts'
import { memberOf } from './schema/schema-keywords.ts'
import {
  describeTool,
  repeatRanks,
  type Effect,
  type ManifestTool,
  type ProposedEffect,
  type SiteTool,
} from './tool.ts'

/** The effects that an owner confirmed, by the name of the tool. */
export type ConfirmedEffects = Readonly<Record<string, ProposedEffect>>

/** Whether the site proposes the effect for its tool, or one with which calls are repeated more freely. */
export const isProposed = ({ proposed_effect: proposed }: ManifestTool, effect: Effect): boolean =>
  proposed !== undefined && repeatRanks[effect] <= repeatRanks[proposed]

/** The effect that counts because the owner confirmed it; undefined if the site no longer proposes it. */
function confirmedEffect(tool: ManifestTool, confirmed: ConfirmedEffects): ProposedEffect | undefined {
  const effect = memberOf(confirmed, tool.name) as ProposedEffect | undefined
  return effect !== undefined && isProposed(tool, effect) ? effect : undefined
}

/** A tool as it is for an owner: with the effect that the owner confirmed. */
export function confirmedTool(tool: ManifestTool, confirmed: ConfirmedEffects): SiteTool {
  const described = describeTool(tool)
  return { ...described, effect: confirmedEffect(tool, confirmed) ?? described.effect }
}

/** The confirmations that a later list of the site leaves. What it no longer proposes is no longer confirmed. */
export const stillConfirmed = (confirmed: ConfirmedEffects, { tools }: Pick<Manifest, 'tools'>): ConfirmedEffects =>
  Object.fromEntries(
    tools.flatMap((tool) => {
      const effect = confirmedEffect(tool, confirmed)
      return effect === undefined ? [] : [[tool.name, effect]]
    }),
  )
