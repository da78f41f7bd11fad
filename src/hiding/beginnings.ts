import type { Pattern } from './pattern.ts'
import { folded } from './units.ts'

/**
 * Finds out whether a text that goes on may become one of these forms, by bisection of the forms, which are sorted: in the
 * same time whether there are thirty or thirty thousand.
 *
 * @param anyCase whether capitals make no difference; the forms are in lower case then
 */
export function createBeginnings(sorted: readonly Pattern[], anyCase: boolean) {
  /** Whether a form begins with the text from `start` on, and is longer. Counts what it compares. */
  function isBegun(units: Uint16Array, start: number, effort: { left: number }): boolean {
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const side = sideOf(units, start, sorted[middle] as Pattern, effort)
      if (side === 0) return true
      if (side > 0) from = middle + 1
      else to = middle
    }
    return false
  }

  /** 0 if the form begins with the text and is longer; below if the text stands before the form, else above. */
  function sideOf(
    units: Uint16Array,
    start: number,
    { units: form, length }: Pattern,
    effort: { left: number },
  ): number {
    const rest = units.length - start
    const most = Math.min(rest, form.length)
    let index = 0
    while (index < most && unitAt(units, start + index) === form[index]) index += 1
    effort.left -= index + 1
    if (index < most) return unitAt(units, start + index) - (form[index] ?? 0)
    return length > rest ? 0 : 1
  }

  const unitAt = (units: Uint16Array, at: number): number => (anyCase ? folded(units[at]) : (units[at] ?? 0))

  return { isBegun }
}
