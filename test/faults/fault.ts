/**
 * One fault as real regressions have them: a small edit of the code, and the tests that must notice it. The list shows
 * what the net catches; whoever moves the code moves the entry along.
 */
export interface Fault {
  /** `<area>/<what>`; what a filter of `npm run faults` looks at, beside the file. */
  id: string
  file: string
  /** The text that is replaced; it must occur exactly once in the file. */
  find: string
  replace: string
  /** What goes wrong with it, for whom. */
  why: string
  /** Files of tests, the quickest that ought to notice. */
  tests: string[]
  /** A title, with `*` as ava's `--match` has it, where not all tests of the files are needed. */
  match?: string
}

/** The text with the fault in it. Throws a sentence unless the text to find occurs exactly once. */
export function plant(text: string, { file, find, replace }: Pick<Fault, 'file' | 'find' | 'replace'>): string {
  const parts = text.split(find)
  if (parts.length !== 2) throw new Error(`the text to find occurs ${parts.length - 1} times in ${file}`)
  if (find === replace) throw new Error('the edit changes nothing')
  return parts.join(replace)
}

/** The faults whose id or file contains one of the words; all of them without any. */
export const chosen = (faults: Fault[], words: string[]): Fault[] =>
  faults.filter(({ id, file }) => words.length === 0 || words.some((word) => id.includes(word) || file.includes(word)))

/** What is wrong with the list itself: two faults of one id, files of tests that do not exist. */
export function problemsOf(faults: Fault[], exists: (path: string) => boolean): Map<Fault, string> {
  const problems = new Map<Fault, string>()
  for (const [index, fault] of faults.entries()) {
    const missing = fault.tests.find((path) => !exists(path))
    if (faults.findIndex(({ id }) => id === fault.id) !== index) problems.set(fault, 'another fault has this id')
    else if (!exists(fault.file)) problems.set(fault, `no such file: ${fault.file}`)
    else if (missing !== undefined) problems.set(fault, `no such test file: ${missing}`)
    else if (fault.tests.length === 0) problems.set(fault, 'it names no tests')
  }
  return problems
}
