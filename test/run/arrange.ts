import type { SourceFile } from '../house/source.ts'

/** Which files of tests have a process of their own, and which share one, by the name of their group. */
export interface Arrangement {
  alone: string[]
  together: Map<string, string[]>
}

/** What gives a test a server, a process, or a hook that would run for all files of the process. */
const door = 'test/helpers/servers.ts'
const processes = 'node:child_process'
const ownHooks = /\btest\.(serial|before|after|beforeEach|afterEach|only)\b|\bforWholeFile\b/

/** How many processes the files that need a server are spread over. */
export const shares = 3

/** Files that are not like the others. */
export interface Unusual {
  /** Those that mostly wait, what takes longest first. */
  slowFiles?: readonly string[]
  /** Those that have a process of their own. */
  timedFiles?: readonly string[]
}

/**
 * Arranges all tests. The start of a process and the first use of all code in it cost more than most files of tests do,
 * so those that need no server share one process, and the others share a few. These are dealt out like cards: each process
 * has its part of what waits, kills and computes, so that there is something to compute at any time.
 */
export function arrange(house: SourceFile[], { slowFiles = [], timedFiles = [] }: Unusual = {}): Arrangement {
  const files = new Map(house.map((file) => [file.path, file]))
  const tests = house.filter(({ path }) => path.endsWith('.test.ts') && !timedFiles.includes(path))
  const isPure = (file: SourceFile): boolean =>
    !ownHooks.test(file.code) && !loads(file, files).some((it) => it === door || it === processes)
  const pure = tests.filter((file) => isPure(file)).map(({ path }) => path)
  const others = tests.map(({ path }) => path).filter((path) => !pure.includes(path))
  const slow = slowFiles.filter((path) => others.includes(path))
  // What takes long begins early.
  const together = deal([...slow, ...others.filter((path) => !slow.includes(path))])
  return {
    alone: [...timedFiles],
    together: new Map([...(pure.length > 0 ? [['pure', pure] as const] : []), ...together]),
  }
}

/** `shared-1` and so on; no more of them than there are paths. */
function deal(paths: string[]): [string, string[]][] {
  return Array.from({ length: Math.min(shares, paths.length) }, (_, share) => [
    `shared-${share + 1}`,
    paths.filter((_path, index) => shareOf(index) === share),
  ])
}

/** Up and down the shares, so that none has the longest file of every round. */
const shareOf = (index: number): number =>
  Math.floor(index / shares) % 2 === 0 ? index % shares : shares - 1 - (index % shares)

/** Everything that a file loads at run time, directly or not: files of the house and packages. */
function loads(file: SourceFile, files: ReadonlyMap<string, SourceFile>): string[] {
  const found = new Set([file.path])
  for (const path of found) {
    for (const { target, typeOnly } of files.get(path)?.imports ?? []) {
      if (!typeOnly) found.add(target)
    }
  }
  return [...found]
}
