import { readFileSync } from 'node:fs'
import { schemaHash } from '../../migrations/schema-hash.ts'
import type { SourceFile } from './source.ts'

/** The list of frozen files: one line each, a hash of the code without comments and layout, then the path. */
export const frozenList = new URL('../../migrations/frozen.txt', import.meta.url)

/** A file of migrations that differs from the list. */
interface Thawed {
  path: string
  problem: string
}

/** The list of migrations grows. What any database may have applied stays as it is. */
const isFrozen = (path: string): boolean => path.startsWith('migrations/') && path !== 'migrations/index.ts'

const hashOf = ({ code }: SourceFile): string => schemaHash(code)

const readFrozen = (): Map<string, string> =>
  new Map(
    readFileSync(frozenList, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split('  '))
      .map(([hash = '', path = '']) => [path, hash]),
  )

/** Checks that each frozen migration is what it was, and that each new one is on the list. */
export function checkFrozenMigrations(files: SourceFile[], frozen = readFrozen()): Thawed[] {
  const found = files.filter(({ path }) => isFrozen(path))
  const paths = new Set(found.map(({ path }) => path))
  const lost = [...frozen.keys()].filter((path) => !paths.has(path))
  return [
    ...lost.map((path) => ({ path, problem: 'is a frozen migration that no longer exists' })),
    ...found.flatMap((file) => thawed(file, frozen.get(file.path))),
  ]
}

function thawed(file: SourceFile, hash: string | undefined): Thawed[] {
  if (hash === hashOf(file)) return []
  const problem =
    hash === undefined
      ? 'is not in migrations/frozen.txt; run npm run docs'
      : 'has changed since it was frozen; databases that have it would differ. Add a new migration'
  return [{ path: file.path, problem }]
}

/** The list with the files that it lacks. A line that exists never changes. */
export function withNewMigrations(files: SourceFile[], frozen = readFrozen()): string {
  const all = new Map([
    ...files.filter(({ path }) => isFrozen(path)).map((file) => [file.path, hashOf(file)] as const),
    ...frozen,
  ])
  const lines = [...all].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([path, hash]) => `${hash}  ${path}`)
  return `${lines.join('\n')}\n`
}
