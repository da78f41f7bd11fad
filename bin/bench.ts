import { fileURLToPath } from 'node:url'
import { chosenName, namedIn, runProgram } from './named-programs.ts'

/**
 * `npm run bench -- <name> [options]`: runs a benchmark. Without a name, runs those that compare the platform with
 * others, and writes the guide's page of figures. `--help` lists all.
 */
const folder = new URL('../bench/', import.meta.url)

if (process.argv.length > 2) {
  const name = chosenName('bench', namedIn(folder))
  await runProgram(new URL(`${name}.ts`, folder), process.argv.slice(3))
} else {
  const { runAll } = await import('../bench/shared/run-all.ts')
  await runAll(fileURLToPath(new URL('../docs/performance.md', import.meta.url)))
}
