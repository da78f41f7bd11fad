import { createBeginnings } from './beginnings.ts'
import type { Form } from './encodings.ts'
import { patternsOf, type Pattern } from './pattern.ts'
import { barrier, folded, type Span } from './units.ts'
import { createWindows } from './windows.ts'

/** How many units may still be compared. */
export interface Effort {
  left: number
}

/** Longer windows would skip no more than their tables cost. */
const longestWindow = 12
/** The last three units of a window decide how far the next one is. */
const block = 3

/**
 * Finds many forms in one pass, by the algorithm of Wu and Manber: a window as long as the shortest form moves over the
 * text, and where the units at its end stand in no form, it skips nearly its whole length. So a mebibyte takes a few
 * milliseconds, however many secrets there are.
 *
 * The owner of secrets could make some that begin alike, and a text of which every place takes long. Once a text has taken
 * its effort, whatever begins like a form counts as the form, and no form is compared any more: too much is hidden, and
 * never too little.
 */
export function createMatcher(forms: readonly Form[]) {
  const patterns = patternsOf(forms)
  const longest = patterns.reduce((most, { length }) => Math.max(most, length), 0)
  const size = patterns.reduce((least, { length }) => Math.min(least, length), longestWindow)
  const { skips, ending } = tablesOf(patterns, size)
  const windows = createWindows(patterns, size)
  const beginnings = [false, true].map((anyCase) =>
    createBeginnings(
      patterns.filter((pattern) => pattern.anyCase === anyCase),
      anyCase,
    ),
  )

  /** Everything that is found; what overlaps is one span. */
  function find(units: Uint16Array, effort = effortFor(units)): Span[] {
    const spans: Span[] = []
    if (patterns.length === 0) return spans
    const endAt = endsIn(units)
    for (let end = size - 1; end < units.length;) {
      const key = keyAt(units, end)
      const skip = skips[key] ?? 1
      const start = end - size + 1
      const length = skip === 0 ? lengthAt(units, start, key, effort) : 0
      if (length > 0) add(spans, start, Math.min(start + length, endAt(start)))
      end += Math.max(skip, 1)
    }
    return spans
  }

  /** The length of the longest form at this place, else 0. */
  function lengthAt(units: Uint16Array, start: number, key: number, effort: Effort): number {
    let length = 0
    for (const pattern of effort.left > 0 ? (ending.get(key) ?? []) : []) {
      length = Math.max(length, compare(units, start, pattern, effort))
      if (effort.left <= 0) break
    }
    return effort.left > 0 ? length : windows.longestAt(units, start)
  }

  /** Where at the end of the text a form may have begun that more text would complete; else the length of the text. */
  function findOpen(units: Uint16Array, effort = effortFor(units)): number {
    if (patterns.length === 0) return units.length
    for (let end = Math.max(size - 1, units.length - longest + size); end < units.length;) {
      const skip = skips[keyAt(units, end)] ?? 1
      if (skip === 0 && isOpen(units, end - size + 1, effort)) return end - size + 1
      end += Math.max(skip, 1)
    }
    for (let start = Math.max(0, units.length - size + 1); start < units.length; start += 1) {
      if (beginnings.some(({ isBegun }) => isBegun(units, start, effort))) return start
    }
    return units.length
  }

  function isOpen(units: Uint16Array, start: number, effort: Effort): boolean {
    if (effort.left <= 0) return windows.longestAt(units, start) > units.length - start
    return beginnings.some(({ isBegun }) => isBegun(units, start, effort))
  }

  return { find, findOpen }
}

export type Matcher = ReturnType<typeof createMatcher>

/** Usual texts take a tenth of it. Many short ones must not take much more than a long one. */
export const effortFor = ({ length }: Uint16Array): Effort => ({ left: 2 * length + Math.min(100_000, 64 * length) })

/** Up to where something goes that begins at a place: what only begins like a form may end before it. */
function endsIn(units: Uint16Array): (start: number) => number {
  let end = -1
  return (start) => {
    if (end < start) end = units.indexOf(barrier, start)
    if (end < 0) end = units.length
    return end
  }
}

/** Of each block how far the window may move, and the forms that may be there if it may not. */
function tablesOf(patterns: Pattern[], size: number) {
  const skips = new Uint8Array(1 << 16).fill(Math.max(1, size - block + 1))
  for (const { units } of patterns) {
    for (let end = block - 1; end < size; end += 1) {
      const key = keyAt(units, end)
      skips[key] = Math.min(skips[key] ?? 0, size - 1 - end)
    }
  }
  return { skips, ending: Map.groupBy(patterns, ({ units }) => keyAt(units, size - 1)) }
}

/** The same for capitals and small letters. */
const keyAt = (units: Uint16Array, end: number): number =>
  ((((units[end - 2] ?? 0) | 32) << 10) ^ (((units[end - 1] ?? 0) | 32) << 5) ^ ((units[end] ?? 0) | 32)) & 0xffff

/** The length of the form if it begins at this place, else 0. */
function compare(units: Uint16Array, start: number, { units: form, length, anyCase }: Pattern, effort: Effort): number {
  let index = 0
  while (index < form.length) {
    const unit = units[start + index]
    if ((anyCase ? folded(unit) : unit) !== form[index]) break
    index += 1
  }
  effort.left -= index + 1
  return index === form.length ? length : 0
}

function add(spans: Span[], from: number, to: number): void {
  const last = spans[spans.length - 1]
  if (last && from < last[1]) last[1] = Math.max(last[1], to)
  else spans.push([from, to])
}
