import { createHash } from 'node:crypto'

/** Tools of several sites may be offered to one model. `site` identifies the site, `siteName` is its display name. */
export interface SiteTool {
  site: string
  siteName: string
  tool: string
}

interface NamedTool {
  name: string
  site: string
  tool: string
}

const maxLength = 64
const hashLength = 16

/**
 * Gives every tool a unique name that all providers accept, `^[a-zA-Z0-9_-]{1,64}$`: the tool's own name if it is
 * unique, else with its site's name as prefix, else with a hash too. Depends only on the set of tools, not on their
 * order. Duplicate tools are named once.
 */
export function nameTools(tools: SiteTool[]): NamedTool[] {
  const unique = [...new Map(tools.map((tool) => [JSON.stringify([tool.site, tool.tool]), tool])).values()]
  const levels = new Map(unique.map((tool) => [tool, 0]))
  for (let round = 0; round < namers.length * unique.length; round += 1) {
    const clashing = clashes(unique, levels)
    if (clashing.length === 0) break
    for (const tool of clashing) levels.set(tool, Math.min((levels.get(tool) ?? 0) + 1, namers.length - 1))
  }
  return unique.map((tool) => ({ name: nameAt(tool, levels), site: tool.site, tool: tool.tool }))
}

/** Replaces all characters that providers refuse in a tool name; at most 64 characters, never empty. */
export function providerSafe(text: string): string {
  // Google refuses a leading digit or dash.
  const safe = text.replaceAll(/[^a-zA-Z0-9_-]/g, '_').replace(/^(?=[\d-])/, '_')
  if (safe.length <= maxLength) return safe === '' ? '_' : safe
  return `${safe.slice(0, maxLength - hashLength - 1)}_${hash(text)}`
}

/**
 * Whether `spoken` means the tool of this name: the name itself, the site's own name for the tool
 * (`crm.searchContacts`), or that name without an added site or hash. If a site was added, a spoken name needs several
 * words, since one word (`contacts`) ends too many names.
 */
export function answersTo(name: string, spoken: string): boolean {
  return spokenNames(name).includes(providerSafe(spoken))
}

/** All names that `answersTo` accepts, provider-safe, for lookups in a set. */
export function spokenNames(name: string): string[] {
  const plain = name.replace(/_[0-9a-f]{16}$/, '')
  const words = plain.split('_')
  return [name, ...words.slice(0, -1).map((_, index) => words.slice(index).join('_')), plain]
}

const namers: ((tool: SiteTool) => string)[] = [
  ({ tool }) => providerSafe(tool),
  (tool) => providerSafe(withSite(tool)),
  (tool) => `${providerSafe(withSite(tool)).slice(0, maxLength - hashLength - 1)}_${hash(tool.site, tool.tool)}`,
]

function withSite({ siteName, tool }: SiteTool): string {
  const slug = siteName
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
  if (slug === '') return tool
  // Google refuses a leading digit.
  return `${/^\d/.test(slug) ? 'site_' : ''}${slug.slice(0, 24)}_${tool}`
}

/** The tools whose name at their level is not unique. None keeps it, or the order would decide. */
function clashes(tools: SiteTool[], levels: Map<SiteTool, number>): SiteTool[] {
  const holders = Map.groupBy(tools, (tool) => nameAt(tool, levels))
  const last = namers.length - 1
  return [...holders.values()]
    .filter((group) => group.length > 1)
    .flat()
    .filter((tool) => levels.get(tool) !== last)
}

const nameAt = (tool: SiteTool, levels: Map<SiteTool, number>): string => {
  const namer = namers[levels.get(tool) ?? 0]
  return namer ? namer(tool) : providerSafe(tool.tool)
}

const hash = (...parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, hashLength)
