import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const folder = 'test/together'

/** The folder for the generated files of a test run, removed with the run and ignored by git. */
export const groupFolder = (root: string): string => join(root, folder, String(process.pid))

/** Whether a file is in such a folder. */
export const isGroupFile = (file: string): boolean => file.startsWith(`${folder}/`)

/**
 * Writes one file per group that loads the group's test files, because ava starts a process per file. Returns their
 * paths inside the project.
 */
export function writeGroups(root: string, groups: readonly string[][]): string[] {
  const own = groupFolder(root)
  mkdirSync(own, { recursive: true })
  const loader = relative(own, join(root, 'test/run/in-turns.ts')).replaceAll('\\', '/')
  return groups.map((files, index) => {
    const path = join(own, `shared-${index + 1}.ts`)
    const load = `await loadInTurns(${JSON.stringify(files, undefined, 2)})\n`
    writeFileSync(path, `// Written by npm test.\nimport { loadInTurns } from '${loader}'\n\n${load}`)
    return relative(root, path)
  })
}
