import { chosenName, namedIn, runProgram } from './named-programs.ts'

/** `npm run bench -- <name> [options]`: runs a benchmark. Without a name, lists all. */
const folder = new URL('../bench/', import.meta.url)
const name = chosenName('bench', namedIn(folder))
await runProgram(new URL(`${name}.ts`, folder), process.argv.slice(3))
