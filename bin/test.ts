import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isSlowTest, readHouse } from '../test/house/source.ts'
import { arrange, shares, timedFiles } from '../test/run/arrange.ts'
import { readProgress } from '../test/run/progress.ts'
import { namePromised, notProved } from '../test/run/promised.ts'
import { groupFolder, writeGroups } from '../test/run/group-files.ts'
import { showTap } from './local/test/tap.ts'
import { onTestGround, startAva, type TestGround } from './local/test/test-ground.ts'

/**
 * `npm test [-- <ava arguments>]`: runs tests with one Postgres (a migrated template database) and one Temporal
 * server, and deletes both afterwards. `--slow` (`npm run test:slow`) runs the tests that take minutes. `--promise
 * <id>` runs the tests of a promise (docs/contribute/promises.md), and fails if one is skipped. `--verbose` shows
 * measurements. Prints the slowest tests and `N passed, M failed`, and exits with ava's code.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const start = Date.now()

/** The tests that the caller names, checked before anything starts. Exits with 2 for an unknown promise or file. */
function asked(): ReturnType<typeof namePromised> {
  try {
    return namePromised(process.argv.slice(2), readHouse(root))
  } catch (error) {
    console.error((error as Error).message)
    return process.exit(2)
  }
}

const { given, ids } = asked()

async function runAva({ folder, record, env }: TestGround): Promise<number> {
  const log = join(folder, 'progress')
  const ava = startAva({ record, env: { ...env, SWITCHYARD_TEST_PROGRESS: log } }, argumentsFor())
  const { passed, failed, skipped, explained, reported } = await showTap(
    ava.output,
    console.log,
    given.includes('--verbose'),
  )
  const code = await ava.ended
  if (code !== 0 && !explained) console.log(`\nava ended with ${code ?? 'a signal'}, and named no failure.`)
  showProgress(log, code === 0, reported)
  const unproved = notProved(ids, skipped)
  for (const line of unproved) console.log(line)
  console.log(`\n${Math.round((Date.now() - start) / 1000)} s`)
  // A run that failed without a failing test, for example because no file matched, must not look like a success.
  console.log(`${passed} passed, ${code === 0 ? failed : Math.max(failed, 1)} failed`)
  return code === 0 && unproved.length > 0 ? 1 : (code ?? 1)
}

/** The arguments for ava: the caller's, and all tests if these select none. */
function argumentsFor(): string[] {
  const others = given.filter((one) => one !== '--slow')
  const concurrency = given.some((one) => /^(-c|--concurrency)/.test(one)) ? [] : ['--concurrency', String(shares)]
  return [...concurrency, ...others, ...selected()]
}

/** The test files to add to the caller's. Files that share a process are replaced by the file that loads them. */
function selected(): readonly string[] {
  const house = readHouse(root)
  if (given.some((argument) => /^test\/|\.ts(:[\d,-]+)?$/.test(argument))) return []
  if (given.includes('--slow')) return house.map(({ path }) => path).filter(isSlowTest)
  return [...timedFiles, ...writeGroups(root, arrange(house))]
}

/**
 * A process that crashed or timed out cannot report which tests it was running. Nor does ava report a failure that its
 * reporter cannot show, or anything after it.
 */
function showProgress(log: string, hasSucceeded: boolean, reported: Set<string>): void {
  const { left, slowest } = readProgress(log)
  const ended = slowest.map(({ name }) => name)
  if (!hasSucceeded) {
    showNames('Started, but not finished:', left)
    const unreported = ended.filter((name) => name.includes(' › ') && !reported.has(name))
    showNames('Finished, but ava reported no result:', unreported)
  }
  if (slowest.length < 2) return
  console.log('\nThe slowest tests, and files with their own process, in seconds:')
  for (const { name, seconds } of slowest.slice(0, 10)) console.log(`${seconds.toFixed(1).padStart(7)} ${name}`)
}

function showNames(heading: string, names: readonly string[]): void {
  if (names.length > 0) console.log(['', heading, ...names.map((name) => `✘ ${name}`)].join('\n'))
}

process.exit(
  await onTestGround(runAva, [groupFolder(root)]).catch((error: unknown) => {
    console.error((error as Error).message)
    return 1
  }),
)
