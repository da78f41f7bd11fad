import type { Evidence } from '../evidence.ts'
import type { Question } from '../judge.ts'

export interface Planted {
  what: string
  /** The question under which the judge must find it. */
  under: Question
  plant: (evidence: Evidence) => Partial<Evidence>
}

/** Throws if nothing fits. */
export function first<T>(items: T[], what: string, fits: (item: T) => boolean = () => true): T {
  const found = items.find(fits)
  if (found === undefined) throw new Error(`there is no ${what} to change`)
  return found
}

export const without = <T>(items: T[], item: T): T[] => items.filter((one) => one !== item)
export const instead = <T>(items: T[], item: T, other: T): T[] => items.map((one) => (one === item ? other : one))
