import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Where the files that load others are written for a run; git does not keep it. */
const folder = 'test/together'

const head = `// Written by npm test.
import { loadInTurns } from '../run/in-turns.ts'

`

/**
 * Writes one file for each group, which loads the files of that group: ava gives a process to each file it is named.
 * Returns their paths inside the project.
 */
export function writeTogether(root: string, groups: ReadonlyMap<string, string[]>): string[] {
  rmSync(join(root, folder), { recursive: true, force: true })
  mkdirSync(join(root, folder))
  return [...groups].map(([name, files]) => {
    const path = `${folder}/${name}.ts`
    const names = files.map((file) => `  '${relative(folder, file).replaceAll('\\', '/')}',\n`)
    writeFileSync(join(root, path), `${head}await loadInTurns(import.meta.url, [\n${names.join('')}])\n`)
    return path
  })
}
