/** Tools and tags that are shown at once. */
const mostShown = 50
const mostTags = 200
/** Different words of one search. Each is looked for in every tool of the offer. */
export const mostWords = 10

/** A tool that can be chosen. `request`: what a call does, for people. */
export interface OfferedTool {
  name: string
  description: string
  tags: readonly string[]
  request: string
}

/** The part of an offer that somebody wants to see. */
export interface WantedTools {
  /** Words that a tool has in its name, description, tags or request, at most 10 different ones. */
  search?: string | undefined
  tag?: string | undefined
}

/** A part of what a site offers to choose from. */
export interface OfferedTools {
  /** How many tools match. The first of them are in `tools`. */
  total: number
  tools: OfferedTool[]
  /** How many tools of the whole offer have the tag; most first. */
  tags: { name: string; count: number }[]
}

/**
 * The part of an offer that matches, in the order of the site. Runs in a thread, because strangers decide how many tools
 * there are, and how long their texts.
 */
export function offeredTools(all: readonly OfferedTool[], { search = '', tag }: WantedTools = {}): OfferedTools {
  const words = searchWords(search).slice(0, mostWords)
  const matching = all.filter((tool) => (tag === undefined || tool.tags.includes(tag)) && hasWords(tool, words))
  return { total: matching.length, tools: matching.slice(0, mostShown), tags: tagsOf(all) }
}

/** The different words of a search. Case does not matter. */
export const searchWords = (search: string): string[] => [
  ...new Set(
    search
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== ''),
  ),
]

function hasWords({ name, description, tags, request }: OfferedTool, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const text = [name, description, request, ...tags].join('\n').toLowerCase()
  return words.every((word) => text.includes(word))
}

function tagsOf(offered: readonly OfferedTool[]): OfferedTools['tags'] {
  const counts = new Map<string, number>()
  for (const { tags } of offered) for (const tag of new Set(tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .toSorted((one, other) => other.count - one.count)
    .slice(0, mostTags)
}
