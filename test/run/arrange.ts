import { isTest, isSlowTest, type SourceFile } from '../house/source.ts'

/** Imports that give a test a server or a process. */
const doors = ['test/helpers/servers.ts', 'node:child_process']

/** How many processes share the tests: one per core of a typical machine, because each has its own platforms. */
export const shares = 2

/** Files with their own process, because they measure their process, or would miss deadlines beside others. */
export const timedFiles: readonly string[] = [
  'test/api/open-streams.test.ts',
  'test/src/models/pace.test.ts',
  'test/src/safe-fetch/safe-fetch.test.ts',
  'test/src/runs/reconcile/reconciler.test.ts',
  'test/workflows/in-temporal.test.ts',
]

/**
 * The test files of `npm test`, distributed over the processes that share them: starting a process, loading the code
 * and starting a platform cost more than most files. Files that need no server come first, because they compute
 * without pause and would delay a platform in the same process.
 */
export function arrange(house: SourceFile[]): string[][] {
  const tests = house.map(({ path }) => path).filter((path) => isTest(path) && !isSlowTest(path))
  const shared = tests.filter((path) => !timedFiles.includes(path))
  const pure = pureTests(house)
  const inOrder = [...shared.filter((path) => pure.has(path)), ...shared.filter((path) => !pure.has(path))]
  return Array.from({ length: shares }, (_, share) => inOrder.filter((_path, index) => index % shares === share))
}

/** The test files that need no server. Their imports decide this; nothing is declared. */
export function pureTests(house: SourceFile[]): Set<string> {
  const files = new Map(house.map((file) => [file.path, file]))
  const isPure = ({ path }: SourceFile): boolean => isTest(path) && !doors.some((door) => loads(path, files).has(door))
  return new Set(house.filter(isPure).map(({ path }) => path))
}

/** All files and packages that a file loads at run time, directly or indirectly. */
function loads(file: string, files: ReadonlyMap<string, SourceFile>): Set<string> {
  const found = new Set([file])
  for (const path of found) {
    for (const { target, typeOnly } of files.get(path)?.imports ?? []) {
      if (!typeOnly) found.add(target)
    }
  }
  return found
}
