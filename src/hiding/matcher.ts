import type { Form } from './encodings.ts'
import { unitsOf, type Span } from './units.ts'

interface Pattern {
  units: Uint16Array
  anyCase: boolean
}

/** Longer windows would skip no more than their tables cost. */
const longestWindow = 12
/** The last three units of a window decide how far the next one is. */
const block = 3
/** Up to here a form is compared even if the text is made to keep the comparison busy. */
const sureUnits = 16

/**
 * Finds many forms in one pass, by the algorithm of Wu and Manber: a window as long as the shortest form moves over the
 * text, and where the units at its end stand in no form, it skips nearly its whole length. So a mebibyte takes a few
 * milliseconds, however many secrets there are.
 */
export function createMatcher(forms: readonly Form[]) {
  const patterns = forms.map(({ text, anyCase }): Pattern => ({ units: unitsOf(text), anyCase }))
  const longest = Math.max(0, ...patterns.map(({ units }) => units.length))
  const size = Math.min(longestWindow, ...patterns.map(({ units }) => units.length))
  const { skips, ending } = tablesOf(patterns, size)
  const beginning = Map.groupBy(patterns, ({ units }) => folded(units[0]))

  /** Everything that is found; what overlaps is one span. */
  function find(units: Uint16Array): Span[] {
    const spans: Span[] = []
    if (patterns.length === 0) return spans
    const effort = { spent: 0, limit: 4 * units.length + 100_000 }
    for (let end = size - 1; end < units.length;) {
      const key = keyAt(units, end)
      const skip = skips[key] ?? 1
      const found = skip === 0 ? longestAt(units, end - size + 1, ending.get(key) ?? [], effort) : 0
      if (found > 0) add(spans, end - size + 1, end - size + 1 + found)
      end += found > 0 && effort.spent > effort.limit ? found : Math.max(skip, 1)
    }
    return spans
  }

  /** Where at the end of the text a form may have begun that more text would complete; else the length of the text. */
  function findOpen(units: Uint16Array): number {
    const effort = { spent: 0, limit: 4 * units.length + 10_000 }
    for (let start = Math.max(0, units.length - longest + 1); start < units.length; start += 1) {
      const candidates = beginning.get(folded(units[start])) ?? []
      if (candidates.some((pattern) => isBegun(units, start, pattern, effort))) return start
    }
    return units.length
  }

  return { find, findOpen }
}

function longestAt(units: Uint16Array, start: number, patterns: Pattern[], effort: Effort): number {
  let longest = 0
  for (const pattern of patterns) longest = Math.max(longest, compare(units, start, pattern, effort))
  return longest
}

/** Of each block how far the window may move, and the forms that may be there if it may not. */
function tablesOf(patterns: Pattern[], size: number) {
  const skips = new Uint8Array(1 << 16).fill(Math.max(1, size - block + 1))
  const ending = new Map<number, Pattern[]>()
  for (const pattern of patterns) {
    for (let end = block - 1; end < size; end += 1) {
      const key = keyAt(pattern.units, end)
      skips[key] = Math.min(skips[key] ?? 0, size - 1 - end)
      if (end === size - 1) ending.set(key, [...(ending.get(key) ?? []), pattern])
    }
  }
  return { skips, ending }
}

/** The same for capitals and small letters. */
const keyAt = (units: Uint16Array, end: number): number =>
  ((((units[end - 2] ?? 0) | 32) << 10) ^ (((units[end - 1] ?? 0) | 32) << 5) ^ ((units[end] ?? 0) | 32)) & 0xffff

const folded = (unit = 0): number => (unit >= 65 && unit <= 90 ? unit | 32 : unit)

interface Effort {
  spent: number
  limit: number
}

/**
 * The length of the form if it is at this place, else 0. Its owner could make a secret and a text of which every place
 * takes long. Once that is noticed, the beginning of a form counts as the form: too much is hidden, and never too little.
 */
function compare(units: Uint16Array, start: number, { units: form, anyCase }: Pattern, effort: Effort): number {
  const most = effort.spent > effort.limit ? Math.min(form.length, sureUnits) : form.length
  const same = sharedUnits(units, start, form, anyCase, most)
  effort.spent += same + 1
  return same === most ? most : 0
}

/** Whether the text ends within the form. */
function isBegun(units: Uint16Array, start: number, { units: form, anyCase }: Pattern, effort: Effort): boolean {
  const rest = units.length - start
  if (form.length <= rest) return false
  const same = sharedUnits(units, start, form, anyCase, rest)
  effort.spent += same + 1
  return same === rest || (effort.spent > effort.limit && same >= sureUnits)
}

function sharedUnits(units: Uint16Array, start: number, form: Uint16Array, anyCase: boolean, most: number): number {
  let index = 0
  while (index < most) {
    const unit = units[start + index]
    if ((anyCase ? folded(unit) : unit) !== form[index]) break
    index += 1
  }
  return index
}

function add(spans: Span[], from: number, to: number): void {
  const last = spans.at(-1)
  if (last && from < last[1]) last[1] = Math.max(last[1], to)
  else spans.push([from, to])
}
