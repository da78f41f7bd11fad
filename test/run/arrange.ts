import type { SourceFile } from '../house/source.ts'

/** Which test files have their own process, and which share one, by the name of their group. */
export interface Arrangement {
  alone: string[]
  together: Map<string, string[]>
}

/** What gives a test a server, a process, or a hook that would run for every file of the process. */
const door = 'test/helpers/servers.ts'
const processes = 'node:child_process'
const ownHooks = /\btest\.(serial|before|after|beforeEach|afterEach|only)\b|\bforWholeFile\b/

/** How many processes share the files that need a server. */
export const shares = 3

/** Files that need special treatment. */
export interface Unusual {
  /** Files that mostly wait, the longest first. */
  slowFiles?: readonly string[]
  /** Files that have their own process. */
  timedFiles?: readonly string[]
}

/**
 * Arranges all tests. Starting a process and loading its code costs more than most test files, so files that need no
 * server share one process, and the others share a few. These are dealt out like cards: each process gets its share of
 * tests that wait, kill and compute, so that there is always something to compute.
 */
export function arrange(house: SourceFile[], { slowFiles = [], timedFiles = [] }: Unusual = {}): Arrangement {
  const files = new Map(house.map((file) => [file.path, file]))
  const tests = house.filter(({ path }) => path.endsWith('.test.ts') && !timedFiles.includes(path))
  const isPure = (file: SourceFile): boolean =>
    !ownHooks.test(file.code) && !loads(file, files).some((it) => it === door || it === processes)
  const pure = tests.filter((file) => isPure(file)).map(({ path }) => path)
  const others = tests.map(({ path }) => path).filter((path) => !pure.includes(path))
  const slow = slowFiles.filter((path) => others.includes(path))
  // Slow files begin early.
  const together = deal([...slow, ...others.filter((path) => !slow.includes(path))])
  return {
    alone: [...timedFiles],
    together: new Map([...(pure.length > 0 ? [['pure', pure] as const] : []), ...together]),
  }
}

/** `shared-1` and so on, at most one per path. */
function deal(paths: string[]): [string, string[]][] {
  return Array.from({ length: Math.min(shares, paths.length) }, (_, share) => [
    `shared-${share + 1}`,
    paths.filter((_path, index) => shareOf(index) === share),
  ])
}

/** Back and forth over the shares, so that none gets the longest file of every round. */
const shareOf = (index: number): number =>
  Math.floor(index / shares) % 2 === 0 ? index % shares : shares - 1 - (index % shares)

/** All files and packages that a file loads at run time, directly or indirectly. */
function loads(file: SourceFile, files: ReadonlyMap<string, SourceFile>): string[] {
  const found = new Set([file.path])
  for (const path of found) {
    for (const { target, typeOnly } of files.get(path)?.imports ?? []) {
      if (!typeOnly) found.add(target)
    }
  }
  return [...found]
}
