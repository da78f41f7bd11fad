import type { SourceFile } from '../house/source.ts'

/** Which files of tests ava is to run, each in a process of its own, and which of the others share one. */
export interface Arrangement {
  alone: string[]
  together: string[]
}

/** What gives a test a server, a process, or a hook that would run for all files of the process. */
const door = 'test/helpers/servers.ts'
const processes = 'node:child_process'
const ownHooks = /\btest\.(serial|before|after|beforeEach|afterEach|only)\b|\bforWholeFile\b/

/**
 * Arranges all tests. A file may share a process if nothing that it loads reaches a server or starts a process, and if
 * its tests have no order and no hooks. The start of a process costs more than such tests do.
 */
export function arrange(house: SourceFile[]): Arrangement {
  const files = new Map(house.map((file) => [file.path, file]))
  const tests = house.filter(({ path }) => path.endsWith('.test.ts'))
  const isPure = (file: SourceFile) =>
    !ownHooks.test(file.code) && !loads(file, files).some((it) => it === door || it === processes)
  return {
    alone: tests.filter((file) => !isPure(file)).map(({ path }) => path),
    together: tests.filter(isPure).map(({ path }) => path),
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
