import type { AgentWithSites } from './agent.ts'
import type { SiteChoice } from './agent-fields.ts'

/** What is left of earlier choices, and a sentence for each site and tool that is left out. */
interface Fitted {
  choices: SiteChoice[]
  leftOut: string[]
}

/**
 * Fits earlier choices of sites to the sites that are connected now, whose tools are given by vault entry. A site that
 * loses all of its chosen tools keeps an empty choice, because no choice would mean all tools.
 */
export function fitToSites(earlier: AgentWithSites['sites'], toolsAt: ReadonlyMap<string, readonly string[]>): Fitted {
  const fitted = earlier.map((site) => fit(site, toolsAt.get(site.vaultEntryId)))
  return {
    choices: fitted.flatMap(({ choice }) => choice ?? []),
    leftOut: fitted.flatMap(({ leftOut }) => leftOut),
  }
}

function fit(
  { vaultEntryId, tools, askFirst }: AgentWithSites['sites'][number],
  known: readonly string[] | undefined,
): { choice?: SiteChoice; leftOut: string[] } {
  if (!known) return { leftOut: [`The site of the vault entry ${vaultEntryId} is no longer connected.`] }
  const gone = [...new Set([...(tools ?? []), ...askFirst])].filter((name) => !known.includes(name))
  const stays = (name: string): boolean => known.includes(name)
  const choice = { vaultEntryId, ...(tools && { tools: tools.filter(stays) }), askFirst: askFirst.filter(stays) }
  const sentence = (name: string) =>
    `The site of the vault entry ${vaultEntryId} no longer has the tool ${JSON.stringify(name)}.`
  return { choice, leftOut: gone.map(sentence) }
}
