import { shownValue } from './shown-text.ts'
import { diff } from './diff.ts'

export type Line = { kind: 'both' | 'one' | 'other'; text: string } | { kind: 'hidden'; count: number }

/** Lines that are the same are shown around a difference, so that it can be placed. */
const around = 3

/** The difference of two values line by line. Members of objects are sorted, because their order means nothing. */
export function linesOf(one: unknown, other: unknown): { lines: Line[]; isCut: boolean; isSame: boolean } {
  const [left, right] = [shownValue(sorted(one)), shownValue(sorted(other))]
  const isSame = left.whole === right.whole
  const pairs = diff(left.text.split('\n'), right.text.split('\n'))
  const lines = pairs.map((pair): Line => {
    if (pair.one === undefined) return { kind: 'other', text: pair.other ?? '' }
    return { kind: pair.other === undefined ? 'one' : 'both', text: pair.one }
  })
  return { lines: withoutSame(lines), isCut: left.isCut || right.isCut, isSame }
}

/** Hides longer stretches without a difference. */
export function withoutSame(lines: readonly Line[]): Line[] {
  const near = new Set<number>()
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'both') for (let next = at - around; next <= at + around; next += 1) near.add(next)
  const shown: Line[] = []
  for (const [at, line] of lines.entries()) {
    const last = shown.at(-1)
    if (near.has(at)) shown.push(line)
    else if (last?.kind === 'hidden') last.count += 1
    else shown.push({ kind: 'hidden', count: 1 })
  }
  return shown
}

/** The value with the members of its objects in one order. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}
