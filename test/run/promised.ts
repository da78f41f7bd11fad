import type { SourceFile } from '../house/source.ts'
import { filesWithTag } from '../house/tags.ts'

/**
 * Replaces `--promise <id>` by the test files with that tag. Those that need a command of their own (`npm run long:…`) are
 * left out. Throws if none is left.
 */
export function namePromised(given: readonly string[], files: readonly SourceFile[]): string[] {
  const index = given.indexOf('--promise')
  if (index === -1) return [...given]
  const id = given[index + 1] ?? ''
  const named = filesWithTag(id, files).filter((path) => path.endsWith('.test.ts'))
  if (named.length === 0) throw new Error(`No test of npm test has the tag "${id}"; docs/promises.md has the promises.`)
  return given.toSpliced(index, 2, ...named)
}
