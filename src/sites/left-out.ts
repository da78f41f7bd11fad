import type { ErrorDetail } from '../errors.ts'
import { withoutHidden } from '../names.ts'
import { shortened } from '../text.ts'

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

/** What is wrong with a tool, as the end of a sentence about it. A stranger's text in it is cleaned. */
export const problemSentence = ({ path, message }: ErrorDetail): string =>
  shortened(withoutHidden(path === '' ? message : `"${path}" ${message}`), 300)
