import type { Api } from '../../../api/client.ts'

export type SiteDraft = Api['AgentSiteRequest']

type Offered = Pick<Api['VaultTool'], 'name' | 'scope' | 'effect'>

const onlyReads = ({ scope, effect }: Offered): boolean => scope === 'read' && effect === 'read'

/** Whether a person should look at a call unless its owner decides otherwise. */
const isGrave = ({ scope }: Offered): boolean => scope === 'delete' || scope === 'admin'

/** The names of the tools that only read. */
export const readingTools = (offered: readonly Offered[]): string[] => offered.filter(onlyReads).map(({ name }) => name)

/** The site with one more tool. A tool that deletes or administers asks first. */
export function withMore(site: SiteDraft, tool: Offered, names: readonly string[]): SiteDraft {
  const more = withTool(site, [...(site.tools ?? names).filter((name) => name !== tool.name), tool.name])
  return isGrave(tool) ? withAsking(more, tool.name, true) : more
}

/** Without a list, an agent uses all tools of a site. */
export const usesTool = ({ tools }: SiteDraft, name: string): boolean => tools === undefined || tools.includes(name)

/** The sites with this one changed, added or, without `next`, removed. */
export function withSite(sites: readonly SiteDraft[], id: string, next: SiteDraft | undefined): SiteDraft[] {
  const isThere = sites.some(({ vaultEntryId }) => vaultEntryId === id)
  if (!isThere) return next ? [...sites, next] : [...sites]
  return sites.flatMap((site) => (site.vaultEntryId === id ? (next ? [next] : []) : [site]))
}

/** The site with these tools, or all. A tool that is not used is not asked about. */
export function withTool(site: SiteDraft, tools: readonly string[] | undefined): SiteDraft {
  if (tools === undefined) {
    const all = { ...site }
    delete all.tools
    return all
  }
  const askFirst = site.askFirst?.filter((name) => tools.includes(name))
  return { ...site, tools: [...tools], ...(askFirst ? { askFirst } : {}) }
}

export function withAsking(site: SiteDraft, name: string, asks: boolean): SiteDraft {
  const others = (site.askFirst ?? []).filter((each) => each !== name)
  return { ...site, askFirst: asks ? [...others, name] : others }
}
