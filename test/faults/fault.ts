import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { nameOf, plant, root, type Place } from './plant.ts'

export { within } from './plant.ts'

/** One fault as real regressions have them: a small edit of the code, and the tests that must notice it. */
export interface Fault extends Place {
  /** `<kind>/<what>`; the filter of `npm run faults` looks at it, and at the name of the place. */
  id: string
  /** What goes wrong with it, for whom. */
  why: string
  /** Files of tests, the quickest that ought to notice. */
  tests: string[]
}

/** The faults whose id or place contains one of the words; all of them without any. */
export const chosen = (faults: Fault[], words: string[]): Fault[] =>
  faults.filter((fault) => {
    const named = `${fault.id} ${nameOf(fault.in)}`
    return words.length === 0 || words.some((word) => named.includes(word))
  })

/** What is wrong with a fault of the list: its id is not its own, a test does not exist, or it cannot be planted. */
export async function problemOf(fault: Fault, faults: Fault[]): Promise<string | undefined> {
  if (faults.some((other) => other !== fault && other.id === fault.id)) return 'another fault has this id'
  const missing = fault.tests.find((path) => !existsSync(join(root, path)))
  if (missing !== undefined) return `no such test file: ${missing}`
  if (fault.tests.length === 0) return 'it names no tests'
  try {
    await plant(fault)
    return undefined
  } catch (error) {
    return `it cannot be planted: ${(error as Error).message}`
  }
}
