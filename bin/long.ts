import { chosenName, namedIn, runProgram } from './named-programs.ts'

/**
 * `npm run long -- <name> [ava arguments]`: runs a test that takes minutes and sets its own timeout. Without a name,
 * lists all.
 */
const name = chosenName('long', namedIn(new URL('../test/long/', import.meta.url)))
const given = process.argv.slice(3)
await runProgram(new URL('test.ts', import.meta.url), [`test/long/${name}.ts`, '--verbose', ...given])
