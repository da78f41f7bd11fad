import { textOf } from './same-json.ts'
import { shortened } from '../../text.ts'

/** The classes of manifest changes, from the least grave to the gravest. */
export const changeClasses = ['none', 'text', 'compatible', 'new_scope', 'breaking', 'changed_address'] as const

export type ChangeClass = (typeof changeClasses)[number]

/** One place where two manifests differ. The path names tools and properties. */
export interface Difference {
  path: string
  kind: 'added' | 'removed' | 'changed'
  class: Exclude<ChangeClass, 'none'>
  /** The values, truncated for display: a text as it is, anything else as JSON. Absent if there was no value. */
  before?: string
  after?: string
  message: string
}

/** Characters shown of a value. Addresses have at most 2,048 and are never truncated: owners decide by them. */
const longestShown = 500
const longestAddress = 2_048

const ranks = new Map<ChangeClass, number>(changeClasses.map((name, rank) => [name, rank]))

export const rankOf = (name: ChangeClass): number => ranks.get(name) ?? 0

/** The gravest of the classes; `none` of no classes. */
export const gravest = (classes: Iterable<ChangeClass>): ChangeClass =>
  [...classes].reduce((worst, next) => (rankOf(next) > rankOf(worst) ? next : worst), 'none' as ChangeClass)

/** A difference between two values at one place; `undefined` means no value. */
export function difference(
  path: string,
  [before, after]: readonly [before: unknown, after: unknown],
  className: Difference['class'],
  message: string,
): Difference {
  const longest = className === 'changed_address' ? longestAddress : longestShown
  return {
    path,
    kind: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    class: className,
    ...(before !== undefined && { before: shown(before, longest) }),
    ...(after !== undefined && { after: shown(after, longest) }),
    message,
  }
}

const shown = (value: unknown, longest: number): string =>
  shortened(typeof value === 'string' ? value : textOf(value), longest)
