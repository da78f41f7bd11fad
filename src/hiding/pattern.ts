import type { Form } from './encodings.ts'
import { unitsOf } from './units.ts'

/** A form as it is sought: by the units that it begins with. */
export interface Pattern {
  units: Uint16Array
  /** Of the whole form; what begins with all of `units` counts as the form. */
  length: number
  anyCase: boolean
}

/** Sorted by their units. */
export const patternsOf = (forms: readonly Form[]): Pattern[] =>
  // Texts compare by their units, and much faster than arrays of units.
  forms
    .toSorted((one, other) => (one.text < other.text ? -1 : Number(one.text > other.text)))
    .map(({ text, length, anyCase }) => ({ units: unitsOf(text), length, anyCase }))
