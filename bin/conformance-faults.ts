import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isFound, openBrokenCopy, type Finding } from '../test/conformance/broken-copy.ts'
import type { BrokenPlatform } from '../test/conformance/broken-platform.ts'
import { brokenPlatforms } from '../test/conformance/faults.ts'
import { onTestGround, type TestGround } from './local/test/test-ground.ts'

/**
 * `npm run conformance:faults [-- [--jobs <n>] <part of an id>…]`: starts copies of the project with one behaviour broken
 * on purpose, each with a database of its own, and shows that `npm run conformance` finds it. First the same rows pass
 * without any fault. Exits with 1 if a fault was missed.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

async function main(ground: TestGround, wanted: BrokenPlatform[], jobs: number): Promise<number> {
  const copies = Array.from({ length: jobs }, (_, index) => openBrokenCopy(ground, root, `copy_${index + 1}`))
  const whole = { id: 'no fault', edits: [], rows: [...new Set(wanted.flatMap(({ rows }) => rows))] }
  const queue = [whole, ...wanted]
  let missed = 0
  const work = async (copy: ReturnType<typeof openBrokenCopy>): Promise<void> => {
    for (let platform = queue.shift(); platform; platform = queue.shift()) {
      const isGood = await copy.examine(platform).then(judged, unusable(platform))
      if (!isGood) missed += 1
    }
  }
  await Promise.all(copies.map(work))
  console.log(`\n${wanted.length} faults, ${missed} not as expected.`)
  return missed > 0 ? 1 : 0
}

function judged(finding: Finding): boolean {
  const { platform, exitCode, rows, seconds } = finding
  const isGood = platform.edits.length === 0 ? exitCode === 0 : isFound(finding)
  const verdict = platform.edits.length === 0 ? 'PASSES' : 'FOUND'
  console.log(`${isGood ? `✔ ${verdict}` : '✘ MISSED'} ${platform.id} (exit code ${exitCode}, ${seconds.toFixed(0)} s)`)
  const shown = rows.filter((row) => (platform.edits.length === 0 ? row.verdict !== 'passed' : true))
  for (const row of shown) console.log(`    ${row.id}: ${row.verdict}: ${row.evidence.slice(0, 160)}`)
  return isGood
}

const unusable =
  ({ id }: BrokenPlatform) =>
  (error: unknown): boolean => {
    console.log(`! ${id}: ${(error as Error).message}`)
    return false
  }

const { values, positionals } = parseArgs({ options: { jobs: { type: 'string' } }, allowPositionals: true })
const wanted = brokenPlatforms.filter(
  ({ id }) => positionals.length === 0 || positionals.some((part) => id.includes(part)),
)
if (wanted.length === 0) {
  console.error('No such fault. Their ids are in test/conformance/*faults.ts.')
  process.exit(2)
}
process.exit(await onTestGround((ground) => main(ground, wanted, Number(values.jobs ?? 1))))
