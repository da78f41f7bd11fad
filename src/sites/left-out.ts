/** A tool that a site lists and the platform cannot use, with what is wrong with it. */
export interface LeftOutTool {
  name: string
  problem: string
}

/** Tools that are named. The last of a longer list says how many more there are. */
const mostNamed = 20

/** Of all tools that were left out, those that a manifest records. */
export function namedLeftOut(all: readonly LeftOutTool[]): LeftOutTool[] {
  if (all.length <= mostNamed) return [...all]
  const more = all.length - mostNamed + 1
  return [...all.slice(0, mostNamed - 1), { name: '…', problem: `and ${more} more tools cannot be used` }]
}
