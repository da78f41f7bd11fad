import type { Documents } from './documents.ts'

/** How much of a schema is copied. */
export interface Detail {
  /** Schemas within schemas. What is nested more deeply is open: it says its type at most. */
  levels: number
  /** UTF-16 units of a description. */
  text: number
  /** UTF-16 units of a constant, such as a list of the allowed values. Longer ones are left out. */
  constant: number
}

/** Characters of patterns that are compiled for one document. Further patterns are left out. */
export interface PatternsLeft {
  characters: number
}

export interface Copying {
  documents: Documents
  /** OpenAPI 3.0 has forms of its own, which are kept. */
  isVersion30: boolean
  detail: Detail
  /** What the schemas of one tool may still use. */
  budget: { characters: number }
  patterns: PatternsLeft
}

/** The schema does not fit into its budget. */
export class TooLarge extends Error {
  override name = 'TooLarge'
}

export function spend({ budget }: Pick<Copying, 'budget'>, characters: number): void {
  budget.characters -= characters
  if (budget.characters < 0) throw new TooLarge()
}

const maxMembers = 2000
/** Found once, because only counting them takes long. */
const large = new WeakSet()

/** The names of an object's members. Throws TooLarge if they are too many to be copied. */
export function membersOf(object: object): string[] {
  if (large.has(object)) throw new TooLarge()
  const names = Object.keys(object)
  if (names.length <= maxMembers) return names
  large.add(object)
  throw new TooLarge()
}
