import * as v from 'valibot'
import type { Manifest } from './manifest.ts'

/** A tool that a site lists and the platform cannot use, with what is wrong with it. */
export interface LeftOutTool {
  name: string
  problem: string
}

/** Tools that are named. The last of a longer list says how many more there are. */
const mostNamed = 20

/** The tools that a manifest records as left out, bounded for display. */
export function namedLeftOut(all: readonly LeftOutTool[]): LeftOutTool[] {
  if (all.length <= mostNamed) return [...all]
  const more = all.length - mostNamed + 1
  return [...all.slice(0, mostNamed - 1), { name: '…', problem: `and ${more} more tools cannot be used` }]
}

const shape = v.array(v.object({ name: v.string(), problem: v.string() }))

/** The tools that were left out of a manifest. A site may publish a member of this name with any content. */
export const leftOutOf = ({ left_out: given }: Pick<Manifest, 'left_out'>): LeftOutTool[] => {
  const read = v.safeParse(shape, given)
  return read.success ? namedLeftOut(read.output) : []
}
