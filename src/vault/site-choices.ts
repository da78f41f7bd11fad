import { assertThat, type ErrorDetail } from '../errors.ts'
import type { Scope, SiteTool } from '../sites/tool.ts'
import { quotedName } from '../names.ts'

/** A connected site that an agent or session may use. Without `tools`, all of its tools. */
export interface SiteChoice {
  vaultEntryId: string
  tools?: readonly string[] | undefined
  askFirst?: readonly string[] | undefined
}

export interface OfferedSite {
  id: string
  name: string
  /** The scopes that the site offers; null for a site without scopes. */
  offers: readonly Scope[] | null
  tools: readonly (SiteTool & { usable: boolean })[]
}

/** Refuses unknown sites and tools, and duplicate sites: VALIDATION_ERROR. */
export function assertSites(known: readonly OfferedSite[], choices: readonly SiteChoice[]): void {
  const details = choices.flatMap((choice, index) => problemsOf(known, choice, `sites.${index}`))
  const repeated = new Set(choices.map(({ vaultEntryId }) => vaultEntryId)).size < choices.length
  if (repeated) details.push({ path: 'sites', message: 'Each vault entry must appear only once.' })
  const message = `The sites are invalid. ${details[0]?.message ?? ''}`
  assertThat(details.length === 0, 'VALIDATION_ERROR', { message, details })
}

function problemsOf(known: readonly OfferedSite[], choice: SiteChoice, path: string): ErrorDetail[] {
  const site = known.find(({ id }) => id === choice.vaultEntryId)
  if (!site) return [{ path: `${path}.vaultEntryId`, message: 'There is no vault entry with this id.' }]
  const names = new Set(site.tools.map(({ name }) => name))
  const unknown = (['tools', 'askFirst'] as const).flatMap((member) =>
    (choice[member] ?? [])
      .filter((name) => !names.has(name))
      .map((name) => ({ path: `${path}.${member}`, message: `The site has no tool named ${JSON.stringify(name)}.` })),
  )
  return [...unknown, ...uselessQuestions(choice, path)]
}

/** An approval rule for a tool that may not be used would never apply. */
const uselessQuestions = ({ tools, askFirst = [] }: SiteChoice, path: string): ErrorDetail[] =>
  askFirst
    .filter((name) => tools?.includes(name) === false)
    .map((name) => ({ path: `${path}.askFirst`, message: `${JSON.stringify(name)} is not in "tools".` }))

/** Refuses named tools without a granted scope: PERMISSION_DENIED, with the remedy. */
export function assertGranted(known: readonly OfferedSite[], choices: readonly SiteChoice[]): void {
  for (const { vaultEntryId, tools: chosen = [] } of choices) {
    const site = known.find(({ id }) => id === vaultEntryId)
    const refused = site?.tools.filter(({ name, usable }) => !usable && chosen.includes(name)) ?? []
    assertThat(!site || refused.length === 0, 'PERMISSION_DENIED', { message: site ? refusal(site, refused) : '' })
  }
}

const mostNamed = 20

function refusal({ id, name, offers }: OfferedSite, refused: readonly SiteTool[]): string {
  const first = refused.slice(0, mostNamed)
  const scopes = [...new Set(refused.map(({ scope }) => scope))]
  const needed = `${first.map((tool) => tool.name).join(', ')} at ${quotedName(name)} ${refused.length === 1 ? 'requires' : 'require'} a scope that was not granted (${scopes.join(', ')}).`
  if (!scopes.some((scope) => offers?.includes(scope) ?? true)) return `${needed} The site does not offer this scope.`
  const request = JSON.stringify({ entryId: id, tools: first.map((tool) => tool.name) })
  return `${needed} Authorize the site again with POST /vault/oauth/start and ${request}, or leave out these tools.`
}
