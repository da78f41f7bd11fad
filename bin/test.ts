import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isSlowTest, readHouse } from '../test/house/source.ts'
import { arrange, shares } from '../test/run/arrange.ts'
import { slowest } from '../test/run/durations.ts'
import { namePromised, notProved } from '../test/run/promised.ts'
import { slowFiles, timedFiles } from '../test/run/unusual-files.ts'
import { leftUnderWay } from '../test/run/under-way.ts'
import { togetherFolder, writeTogether } from '../test/run/together.ts'
import { showTap } from './local/test/tap.ts'
import { onTestGround, startAva, type TestGround } from './local/test/test-ground.ts'

/**
 * `npm test [-- <ava arguments>]`: runs tests with one Postgres (a migrated template database) and one Temporal server,
 * both deleted afterwards. `--slow` (`npm run test:slow`) runs the tests that take minutes. `--promise <id>` runs the
 * tests of a promise (docs/promises.md), and fails if one of them is skipped. `--verbose` shows what tests have measured.
 * Prints the slowest files and `N passed, M failed`, and exits with ava's code.
 */
const [durations, underWay] = ['durations', 'under-way']
const root = fileURLToPath(new URL('..', import.meta.url))
const start = Date.now()

async function runAva({ folder, record, env }: TestGround): Promise<number> {
  const { given, ids } = namePromised(process.argv.slice(2), readHouse(root))
  const log = { SWITCHYARD_TEST_DURATIONS: join(folder, durations), SWITCHYARD_TEST_UNDER_WAY: join(folder, underWay) }
  const { output, ended } = startAva({ record, env: { ...env, ...log } }, argumentsFor(given))
  const { passed, failed, skipped } = await showTap(output, console.log, given.includes('--verbose'))
  const code = await ended
  if (code !== 0) showUnderWay(join(folder, underWay))
  showSlowest(join(folder, durations))
  const unproved = notProved(ids, skipped)
  for (const line of unproved) console.log(line)
  console.log(`\n${Math.round((Date.now() - start) / 1000)} s`)
  // A run that failed without a failing test, such as one where no file matched, must not look like a success.
  console.log(`${passed} passed, ${code === 0 ? failed : Math.max(failed, 1)} failed`)
  return code === 0 && unproved.length > 0 ? 1 : (code ?? 1)
}

/** What ava is given: the caller's arguments, with all tests if these select none. */
function argumentsFor(given: readonly string[]): string[] {
  const others = given.filter((one) => one !== '--slow')
  const concurrency = (count: number) =>
    given.some((one) => /^(-c|--concurrency)/.test(one)) ? [] : ['--concurrency', String(count)]
  if (given.includes('--slow')) return [...concurrency(2), ...others, ...slowTests()]
  return [...concurrency(shares), ...others, ...(given.some(namesFiles) ? [] : quickTests())]
}

const slowTests = (): string[] =>
  readHouse(root)
    .map(({ path }) => path)
    .filter(isSlowTest)

/** All other test files; those that share a process are replaced by the file that loads them. */
function quickTests(): string[] {
  const { alone, together } = arrange(readHouse(root), { slowFiles, timedFiles })
  return [...alone, ...writeTogether(root, together)]
}

/** Whether an argument selects tests. */
const namesFiles = (argument: string): boolean => /^test\/|\.ts(:[\d,-]+)?$/.test(argument)

/** A process that crashed or timed out cannot name the tests that it was running. */
function showUnderWay(log: string): void {
  const left = leftUnderWay(log)
  if (left.length > 0) console.log(['', 'Begun, and not ended:', ...left.map((name) => `✘ ${name}`)].join('\n'))
}

function showSlowest(log: string): void {
  const files = slowest(log, 10)
  if (files.length < 2) return
  console.log('\nThe slowest files, in seconds:')
  for (const { seconds, file } of files) console.log(`${seconds.toFixed(1).padStart(7)} ${file}`)
}

process.exit(
  await onTestGround(runAva, [togetherFolder(root)]).catch((error: unknown) => {
    console.error((error as Error).message)
    return 1
  }),
)
