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

/** What a process takes on, and what a slow file takes of it: with more, it would be among the last to end. */
const room = 12
const slow = 4

/** Files that are not like the others. */
export interface Unusual {
  /** Those that take several times as long. */
  slowFiles?: readonly string[]
  /** Those that have a process of their own. */
  timedFiles?: readonly string[]
}

/**
 * Arranges all tests. The start of a process and the first use of all code in it cost more than most files of tests do,
 * so those that need no server share one process, and those that do need one share others, by top folder.
 */
export function arrange(house: SourceFile[], { slowFiles = [], timedFiles = [] }: Unusual = {}): Arrangement {
  const files = new Map(house.map((file) => [file.path, file]))
  const groups = new Map<string, Group>()
  const alone: string[] = []
  for (const file of house.filter(({ path }) => path.endsWith('.test.ts'))) {
    const isSlow = slowFiles.includes(file.path)
    const isPure = !ownHooks.test(file.code) && !loads(file, files).some((it) => it === door || it === processes)
    if (timedFiles.includes(file.path)) alone.push(file.path)
    else if (isPure && !isSlow) join(groups, 'pure', file.path, 0)
    else join(groups, topFolder(file.path), file.path, isSlow ? slow : 1)
  }
  return { alone, together: new Map([...groups].map(([name, { files: members }]) => [name, members])) }
}

interface Group {
  files: string[]
  taken: number
}

/** `test/src/runs/held.test.ts`: `src`. */
const topFolder = (path: string): string => path.split('/')[1] ?? path

/** Adds a file to the first group of that name which has room: `api`, `api-2`, `api-3`. */
function join(groups: Map<string, Group>, name: string, path: string, takes: number): void {
  for (let number = 1; ; number += 1) {
    const key = number === 1 ? name : `${name}-${number}`
    const group = groups.get(key) ?? { files: [], taken: 0 }
    if (group.taken + takes > room) continue
    groups.set(key, { files: [...group.files, path], taken: group.taken + takes })
    return
  }
}

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
