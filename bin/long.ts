import { chosenName, namedIn, runProgram } from './named.ts'

/**
 * `npm run long -- <name> [ava arguments]`: a test that takes minutes, and says itself how many at most. Without a name it
 * lists what there is.
 */
const name = chosenName('long', namedIn(new URL('../test/long/', import.meta.url)))
const given = process.argv.slice(3)
await runProgram(new URL('test.ts', import.meta.url), [`test/long/${name}.ts`, '--verbose', ...given])
