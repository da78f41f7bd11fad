import { readFileSync } from 'node:fs'
import type { SourceFile } from './source.ts'

/** A row of the page that holds nothing. */
interface BrokenPromise {
  path: string
  problem: string
}

const page = 'docs/promises.md'

/** The page that says which tests hold what is promised: each of them must be there, under its title. */
export function checkPromises(files: SourceFile[]): BrokenPromise[] {
  return brokenPromises(readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8'), files)
}

/** The tests that the page names and the house does not have. */
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

/** Rows are `| promise | tests |`, and of the tests each is `path` or `path`: title. */
function testsIn(text: string): { path: string; title: string | undefined }[] {
  const rows = text.split('\n').filter((line) => line.startsWith('|') && line.includes('`test/'))
  return rows.flatMap((row) =>
    (row.split('|').at(-2) ?? '').split('<br>').map((entry) => {
      const [, path = entry.trim(), title] = /^`([^`]+)`(?:: (.*))?$/.exec(entry.trim()) ?? []
      return { path, title }
    }),
  )
}

/** Titles are written in any kind of quotes, of which the formatter escapes none that it need not. */
const hasTitle = (code: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => code.includes(`${quote}${title}${quote}`))
