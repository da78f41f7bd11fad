import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { readHouse } from '../test/house/source.ts'
import { rulesIn, type Rule } from '../test/mutations/rules.ts'
import { byFolder, describeMutant, percentOf, scoreOf, sum, survivorsOf, type Score } from '../test/mutations/score.ts'

/**
 * `npm run mutate [-- [--jobs <n>] <part of a path>…]`: changes each rule in many small ways, one at a time, and runs
 * the rule's own test against each change. Prints the changes that no test noticed, and the score of each folder.
 * Exits with 1 if a score is below `least`. `npm test` does not run it.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
type LogLevel = NonNullable<ConstructorParameters<typeof Stryker>[0]['logLevel']>

/** The percentage of mutants that the tests of a folder must notice. */
const least = 85
const ava = fileURLToPath(new URL('cli.js', import.meta.resolve('ava')))
const compiled = join(root, 'node_modules/.cache/switchyard')

async function examine(rule: Rule, concurrency: number): Promise<Score> {
  const start = Date.now()
  const stryker = new Stryker({
    mutate: [rule.path],
    testRunner: 'command',
    commandRunner: {
      command: `NODE_COMPILE_CACHE="${compiled}" "${process.execPath}" "${ava}" --fail-fast ${rule.test}`,
    },
    concurrency,
    plugins: [fileURLToPath(new URL('../test/mutations/sentences.ts', import.meta.url))],
    ignorers: ['sentences'],
    // Without tsconfig.json, because TypeScript 7 has no API to read it.
    ignorePatterns: [
      '/*',
      ...['src', 'api', 'workflows', 'activities', 'migrations', 'bin', 'test', 'package.json', 'ava.config.js'].map(
        (name) => `!/${name}`,
      ),
    ],
    tempDirName: workshop,
    reporters: [],
    logLevel: 'error' as LogLevel,
  })
  const mutants = await stryker.runMutationTest()
  const score = scoreOf(rule, mutants, (Date.now() - start) / 1000)
  console.log(
    `${rule.path}: ${score.killed} of ${score.killed + score.survived} noticed, ${score.seconds.toFixed(0)} s`,
  )
  const source = readFileSync(join(root, rule.path), 'utf8')
  for (const mutant of survivorsOf(mutants)) console.log(`    ${describeMutant(rule, source, mutant)}`)
  return score
}

function showScores(scores: Score[]): void {
  const columns = ['mutants', 'killed', 'timeouts', 'survived', 'score', 'minutes']
  console.log(`\n${'folder'.padEnd(24)}${columns.map((name) => name.padStart(10)).join('')}`)
  for (const score of [...byFolder(scores), sum('all', scores)]) {
    const { folder, killed, timeouts, survived, seconds } = score
    const values = [
      killed + survived,
      killed,
      timeouts,
      survived,
      `${percentOf(score).toFixed(1)} %`,
      (seconds / 60).toFixed(1),
    ]
    console.log(`${folder.padEnd(24)}${values.map((value) => String(value).padStart(10)).join('')}`)
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: 'string', default: String(availableParallelism()) } },
})
const rules = rulesIn(readHouse(root), positionals)
if (rules.length === 0) {
  console.error(`No rule has a path that contains ${positionals.join(' or ')}.`)
  process.exit(2)
}
/** Outside node_modules, where Node does not run TypeScript. */
const workshop = mkdtempSync(join(tmpdir(), 'switchyard-mutations-'))
process.once('exit', () => rmSync(workshop, { recursive: true, force: true }))
const scores: Score[] = []
for (const rule of rules) scores.push(await examine(rule, Math.max(1, Number(values.jobs) || 1)))
showScores(scores)
const low = byFolder(scores).filter((score) => percentOf(score) < least)
if (low.length > 0) console.error(`\nBelow ${least}%: ${low.map(({ folder }) => folder).join(', ')}`)
process.exit(low.length > 0 ? 1 : 0)
