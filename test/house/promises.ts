import { readFileSync } from 'node:fs'
import type { SourceFile } from './source.ts'

/** A row of the page that names a missing test. */
interface BrokenPromise {
  path: string
  problem: string
}

const page = 'docs/promises.md'

/** Checks the page that lists the tests for each promise: every test must exist under its title. */
export function checkPromises(files: SourceFile[]): BrokenPromise[] {
  return brokenPromises(readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8'), files)
}

/** The tests that the page names and the house lacks. */
export function brokenPromises(text: string, files: SourceFile[]): BrokenPromise[] {
  const code = new Map(files.map((file) => [file.path, file.code]))
  return testsIn(text).flatMap(({ path, title }) => {
    const tests = code.get(path)
    if (tests === undefined) return [{ path: page, problem: `names ${path}, which is not there` }]
    return title === undefined || hasTitle(tests, title)
      ? []
      : [{ path: page, problem: `names a test that ${path} does not have: ${title}` }]
  })
}

/** Rows are `| promise | tests |`. Each test is `path` or `path`: title. */
function testsIn(text: string): { path: string; title: string | undefined }[] {
  const rows = text.split('\n').filter((line) => line.startsWith('|') && line.includes('`test/'))
  return rows.flatMap((row) =>
    (row.split('|').at(-2) ?? '').split('<br>').map((entry) => {
      const [, path = entry.trim(), title] = /^`([^`]+)`(?:: (.*))?$/.exec(entry.trim()) ?? []
      return { path, title }
    }),
  )
}

/** A title may be in any kind of quotes; the formatter avoids escapes in it. */
const hasTitle = (code: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => code.includes(`${quote}${title}${quote}`))
