import type { SourceFile } from '../house/source.ts'
import { pureTests } from '../run/arrange.ts'

/** A file that decides without input or output, and its own test. */
export interface Rule {
  path: string
  test: string
}

/** Where the rules decide on runs, money, permissions and times. */
const folders = ['loop', 'runs', 'billing', 'owners', 'schedules', 'sessions', 'vault']

const ruleOf = (test: string): string => test.replace(/^test\//, '').replace(/\.test\.ts$/, '.ts')

/** The rules, files with a test of the same place and name that needs no server, whose path contains one of the given parts, anywhere in `src`; by default those of `folders`. */
export function rulesIn(house: SourceFile[], parts: readonly string[]): Rule[] {
  const paths = new Set(house.map(({ path }) => path))
  const rules = [...pureTests(house)].map((test) => ({ path: ruleOf(test), test }))
  const wanted = parts.length > 0 ? parts : folders.map((folder) => `src/${folder}/`)
  return rules.filter(({ path }) => paths.has(path) && wanted.some((part) => path.includes(part)))
}

/** Tests of `folders` that need no server and are not named after a file: the rule that they test is never mutated. */
export function testsWithoutRule(house: SourceFile[]): string[] {
  const paths = new Set(house.map(({ path }) => path))
  return [...pureTests(house)].filter(
    (test) => folders.some((folder) => test.startsWith(`test/src/${folder}/`)) && !paths.has(ruleOf(test)),
  )
}
