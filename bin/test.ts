import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readHouse } from '../test/house/source.ts'
import { arrange, shares } from '../test/run/arrange.ts'
import { slowest } from '../test/run/durations.ts'
import { namePromised, notProved } from '../test/run/promised.ts'
import { slowFiles, timedFiles } from '../test/run/unusual-files.ts'
import { toRepeat } from '../test/run/repeated.ts'
import { leftUnderWay } from '../test/run/under-way.ts'
import { togetherFolder, writeTogether } from '../test/run/together.ts'
import { showTap } from './local/test/tap.ts'
import { onTestGround, startAva, type TestGround } from './local/test/test-ground.ts'

/**
 * `npm test [-- <ava arguments>]`: runs tests with one Postgres (a migrated template database) and one Temporal server,
 * both deleted afterwards. `--promise <id>` runs the tests of a promise (docs/promises.md), and fails if one of them is
 * skipped. `--verbose` shows what tests have measured. In a whole run, the files of a few tests that have
 * failed are run once more by themselves. Prints the slowest files and `N passed, M failed`, and exits with ava's code.
 */
const [durations, underWay] = ['durations', 'under-way']
const root = fileURLToPath(new URL('..', import.meta.url))
const start = Date.now()

async function runAva({ folder, record, env }: TestGround): Promise<number> {
  const { given, ids } = namePromised(process.argv.slice(2), readHouse(root))
  const isWhole = !given.some(namesFiles)
  const concurrency = given.some((one) => /^(-c|--concurrency)/.test(one)) ? [] : ['--concurrency', String(shares)]
  const log = { SWITCHYARD_TEST_DURATIONS: join(folder, durations), SWITCHYARD_TEST_UNDER_WAY: join(folder, underWay) }
  const run = async (args: string[]) => {
    const { output, ended } = startAva({ record, env: { ...env, ...log } }, args)
    const counts = await showTap(output, console.log, given.includes('--verbose'))
    return { ...counts, code: await ended }
  }
  const first = await run([...concurrency, ...given, ...(isWhole ? everything() : [])])
  if (first.code !== 0) showUnderWay(join(folder, underWay))
  showSlowest(join(folder, durations))
  const again = isWhole && first.code !== 0 ? await repeat(first, run) : false
  console.log(`\n${Math.round((Date.now() - start) / 1000)} s`)
  const code = tell(first, again)
  const unproved = notProved(ids, first.skipped)
  for (const line of unproved) console.log(line)
  return code === 0 && unproved.length > 0 ? 1 : code
}

/**
 * Runs the files of failed tests once more, by themselves, and returns whether all of them pass then. Two busy cores fail
 * one of thousands of tests for lack of time, another one in each run. What passes only then is printed: a title that is
 * seen twice is a defect.
 */
async function repeat(
  { failed, titles }: { failed: number; titles: string[] },
  run: (args: string[]) => Promise<{ code: number | null }>,
): Promise<boolean> {
  const { alone, together } = arrange(readHouse(root), { slowFiles, timedFiles })
  const files = titles.length === failed ? toRepeat(titles, [...alone, ...[...together.values()].flat()]) : []
  if (files.length === 0) return false
  console.log('\nOnce more, by themselves:')
  return (await run(['--concurrency', '1', ...files])).code === 0
}

/** A run that failed without a failing test, such as one where no file matched, must not look like a success. */
function tell(
  first: { passed: number; failed: number; titles: string[]; code: number | null },
  again: boolean,
): number {
  const { passed, failed, titles, code } = first
  if (again) {
    for (const title of titles) console.log(`Passed only by itself: ${title}`)
    console.log(`${passed + failed} passed, 0 failed`)
    return 0
  }
  console.log(`${passed} passed, ${code === 0 ? failed : Math.max(failed, 1)} failed`)
  return code ?? 1
}

/** All test files; those that share a process are replaced by the file that loads them. */
function everything(): string[] {
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
