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

/** Here processes are started and killed; nobody else is to notice. */
const neverShared = /^test\/(bin|crash)\//

/** With more files than this a process would be among the last to end. */
const mostTogether = 8

/**
 * Arranges all tests. The start of a process and the first use of all code in it cost more than most files of tests do,
 * so those that need no server share one process, and those that do need one share others, by top folder and a few at a
 * time, unless they are slow or about time (`own-process.ts`).
 */
export function arrange(house: SourceFile[], ownProcess: readonly string[] = []): Arrangement {
  const files = new Map(house.map((file) => [file.path, file]))
  const together = new Map<string, string[]>()
  const alone: string[] = []
  for (const file of house.filter(({ path }) => path.endsWith('.test.ts'))) {
    const hasOwn = ownProcess.includes(file.path) || neverShared.test(file.path)
    const isPure = !ownHooks.test(file.code) && !loads(file, files).some((it) => it === door || it === processes)
    if (isPure && !ownProcess.includes(file.path)) join(together, 'pure', file.path, Infinity)
    else if (hasOwn) alone.push(file.path)
    else join(together, topFolder(file.path), file.path)
  }
  return { alone, together }
}

/** `test/src/runs/held.test.ts`: `src`. */
const topFolder = (path: string): string => path.split('/')[1] ?? path

/** Adds a file to the first group of that name which has room: `api`, `api-2`, `api-3`. */
function join(groups: Map<string, string[]>, name: string, path: string, most = mostTogether): void {
  for (let number = 1; ; number += 1) {
    const group = number === 1 ? name : `${name}-${number}`
    const members = groups.get(group) ?? []
    if (members.length === most) continue
    groups.set(group, [...members, path])
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
