import { isTest, type SourceFile } from '../house/source.ts'
import { filesWithTag, tagsIn } from '../house/tags.ts'

/** The arguments for ava, and the promises that the caller named. */
interface Promised {
  given: string[]
  ids: string[]
}

/**
 * Replaces each `--promise <id>` or `--promise=<id>` by the test files with that tag, except for files that need a
 * command of their own (`npm run long -- …`). Throws if none remains, or if a named file does not exist.
 */
export function namePromised(given: readonly string[], files: readonly SourceFile[]): Promised {
  const ids: string[] = []
  const others: string[] = []
  for (let index = 0; index < given.length; index += 1) {
    const argument = given[index] ?? ''
    if (argument === '--promise') ids.push(given[(index += 1)] ?? '')
    else if (argument.startsWith('--promise=')) ids.push(argument.slice('--promise='.length))
    else others.push(argument)
  }
  for (const path of others.flatMap((one) => /^(test\/[^*?{[]+\.ts)(?::[\d,-]+)?$/.exec(one)?.[1] ?? []))
    if (files.every((file) => file.path !== path)) throw new Error(`No test is in ${path}: there is no such file.`)
  const tags = ids.length > 0 ? tagsIn(files) : []
  const named = ids.flatMap((id) => {
    const paths = filesWithTag(id, tags).filter(isTest)
    if (paths.length > 0) return paths
    throw new Error(`No test of npm test has the tag "${id}"; docs/contribute/promises.md lists the promises.`)
  })
  return { given: [...new Set(named), ...others], ids }
}

/** The sentences about promises that a run did not prove, because tests were skipped. */
export function notProved(ids: readonly string[], skipped: readonly string[]): string[] {
  if (ids.length === 0 || skipped.length === 0) return []
  return [
    ...skipped.map((title) => `Not run: ${title}`),
    `Not fully proved: ${ids.join(', ')}. This machine lacks what the tests above need; install it, and try again.`,
  ]
}
