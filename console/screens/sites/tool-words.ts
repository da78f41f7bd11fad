import type { Api } from '../../api/client.ts'
import { effects, scopes } from '../../parts/approval-words.ts'
import { countInWords } from '../../parts/format.ts'

type Tool = Pick<Api['Tool'], 'effect' | 'scope'>

/** What a call does to the site, in a word, as the manifest declares it. */
export function toolDoes({ effect, scope }: Tool): { word: string; tone: 'calm' | 'busy' | 'warn' | 'bad' } {
  if (effect === 'read') return { word: 'reads', tone: 'calm' }
  if (scope === 'delete') return { word: 'deletes', tone: 'bad' }
  if (scope === 'admin') return { word: 'administers', tone: 'bad' }
  return effect === 'once' ? { word: 'changes each time', tone: 'warn' } : { word: 'changes', tone: 'busy' }
}

/** The same in sentences. */
export const toolInWords = ({ effect, scope }: Tool): string =>
  effect === 'read' && scope === 'read' ? effects.read : `${effects[effect]} ${scopes[scope]}`

/** What each scope lets agents do at a site. */
export const scopeWords: Record<Api['Scope'], string> = {
  read: 'Search and read',
  write: 'Create and change things',
  delete: 'Delete things',
  admin: 'Manage users and settings',
}

const order = ['read', 'write', 'delete', 'admin'] as const

/** The scopes that the tools need, with the tools of each, in the order of what they allow. */
export function byScope<T extends Pick<Api['Tool'], 'scope' | 'name'>>(tools: readonly T[]) {
  return order
    .map((scope) => ({ scope, tools: tools.filter((tool) => tool.scope === scope) }))
    .filter((group) => group.tools.length > 0)
}

/** The names of the tools that need one of the scopes; undefined for all tools, which is what a site starts with. */
export function toolsFor(
  tools: readonly Pick<Api['Tool'], 'scope' | 'name'>[],
  chosen: readonly Api['Scope'][],
): string[] | undefined {
  const names = tools.filter(({ scope }) => chosen.includes(scope)).map(({ name }) => name)
  return names.length === tools.length ? undefined : names
}

/** What is missing after connecting: tools whose scope the site did not grant. */
export function missingInWords(tools: readonly Pick<Api['VaultTool'], 'usable'>[]): string | undefined {
  const missing = tools.filter(({ usable }) => !usable).length
  if (missing === 0) return undefined
  return `${countInWords(missing, 'tool')} cannot be called, because the site did not grant what ${missing === 1 ? 'it needs' : 'they need'}.`
}
