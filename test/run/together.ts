import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Where one run of the tests writes the files that load others; it goes with the run, and git does not keep it. */
export const togetherFolder = (root: string): string => join(root, 'test/together', String(process.pid))

/**
 * Writes one file for each group, which loads the files of that group: ava gives a process to each file it is named.
 * Returns their paths inside the project.
 */
export function writeTogether(root: string, groups: ReadonlyMap<string, string[]>): string[] {
  const folder = togetherFolder(root)
  mkdirSync(folder, { recursive: true })
  const from = (path: string) => `'${relative(folder, join(root, path)).replaceAll('\\', '/')}'`
  return [...groups].map(([name, files]) => {
    const path = join(folder, `${name}.ts`)
    const names = files.map((file) => `  ${from(file)},\n`)
    const load = `await loadInTurns(import.meta.url, [\n${names.join('')}])\n`
    writeFileSync(
      path,
      `// Written by npm test.\nimport { loadInTurns } from ${from('test/run/in-turns.ts')}\n\n${load}`,
    )
    return relative(root, path)
  })
}
