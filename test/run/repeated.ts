/** More files than chance fails in one run. */
const mostFiles = 5

/**
 * The files whose tests have failed, to be run once more by themselves; none if there are many, or if a failure is not
 * that of a test, as when a process ends. A title begins with the path of its file: `crash › orphans › what it says`.
 */
export function toRepeat(titles: readonly string[], testFiles: readonly string[]): string[] {
  const known = new Set(testFiles)
  const files = new Set(titles.map((title) => fileOf(title, known)))
  return files.size > mostFiles || files.has(undefined) ? [] : [...files].filter((file) => file !== undefined)
}

function fileOf(title: string, known: ReadonlySet<string>): string | undefined {
  const parts = title.split(' › ')
  const paths = parts.map((_part, index) => `test/${parts.slice(0, parts.length - index).join('/')}.test.ts`)
  return paths.find((path) => known.has(path))
}
