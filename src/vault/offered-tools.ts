import type { OfferedTool } from '../sites/dialects/dialect.ts'

/** Tools and tags that are shown at once. */
const mostShown = 50
const mostTags = 200

interface Wanted {
  /** Words that a tool has in its name, description, tags or request. */
  search?: string | undefined
  tag?: string | undefined
}

export interface OfferedPage {
  total: number
  tools: OfferedTool[]
  /** How many tools of the whole offer have the tag; most first. */
  tags: { name: string; count: number }[]
}

/** The part of an offer that matches, in the order of the site; undefined if the site lists all its tools. */
export function offeredPage(offered: readonly OfferedTool[] | undefined, wanted: Wanted): OfferedPage | undefined {
  if (!offered) return undefined
  const matching = offered.filter((tool) => isWanted(tool, wanted))
  return { total: matching.length, tools: matching.slice(0, mostShown), tags: tagsOf(offered) }
}

function isWanted({ name, description, tags, request }: OfferedTool, { search = '', tag }: Wanted): boolean {
  if (tag !== undefined && !tags.includes(tag)) return false
  const text = [name, description, request, ...tags].join('\n').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function tagsOf(offered: readonly OfferedTool[]): OfferedPage['tags'] {
  const counts = new Map<string, number>()
  for (const tag of offered.flatMap(({ tags }) => [...new Set(tags)])) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .toSorted((one, other) => other.count - one.count)
    .slice(0, mostTags)
}
