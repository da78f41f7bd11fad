import type { SourceFile } from '../house/source.ts'
import { arrange } from '../run/arrange.ts'
import { slowFiles, timedFiles } from '../run/unusual-files.ts'

/** A file that decides without input or output, and its own test. */
export interface Rule {
  path: string
  test: string
}

/** Where the rules decide on runs, money, permissions and times. */
const folders = ['runs', 'billing', 'owners', 'schedules', 'sessions', 'vault']

/** Tests that need no server. A file is a rule if one of them has its place and name, so nothing is listed. */
const pureTests = (house: SourceFile[]): string[] =>
  arrange(house, { slowFiles, timedFiles }).together.get('pure') ?? []

const ruleOf = (test: string): string => test.replace(/^test\//, '').replace(/\.test\.ts$/, '.ts')

/** The rules whose path contains one of the given parts, anywhere in `src`; by default those of `folders`. */
export function rulesIn(house: SourceFile[], parts: readonly string[]): Rule[] {
  const paths = new Set(house.map(({ path }) => path))
  const rules = pureTests(house).map((test) => ({ path: ruleOf(test), test }))
  const wanted = parts.length > 0 ? parts : folders.map((folder) => `src/${folder}/`)
  return rules.filter(({ path }) => paths.has(path) && wanted.some((part) => path.includes(part)))
}

/** Tests of `folders` that need no server and are not named after a file: the rule that they test is never mutated. */
export function testsWithoutRule(house: SourceFile[]): string[] {
  const paths = new Set(house.map(({ path }) => path))
  return pureTests(house).filter(
    (test) => folders.some((folder) => test.startsWith(`test/src/${folder}/`)) && !paths.has(ruleOf(test)),
  )
}
