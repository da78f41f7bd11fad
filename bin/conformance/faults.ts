import { parseArgs } from 'node:util'
import { isFound, openBrokenCopy, type Finding, type Tried } from '../../test/conformance/broken-copy.ts'
import { brokenPlatforms, type BrokenPlatform } from '../../test/conformance/faults.ts'
import { onTestGround, type TestGround } from '../local/test/test-ground.ts'

/**
 * `npm run conformance -- faults [--jobs <n>] [<part of an id>…]`: starts copies of the project, each with one broken
 * behaviour and its own database, and shows that `npm run conformance` finds the fault. The same rows must first pass
 * without a fault. Exits with 1 if a fault was missed.
 */
async function main(ground: TestGround, wanted: BrokenPlatform[], jobs: number): Promise<number> {
  const copies = Array.from({ length: jobs }, (_, index) => openBrokenCopy(ground, `copy_${index + 1}`))
  const whole: Tried = { id: 'no fault', rows: [...new Set(wanted.flatMap(({ rows }) => rows))] }
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
  const isBroken = 'edit' in platform
  const isGood = isBroken ? isFound(platform, finding) : exitCode === 0
  const verdict = isBroken ? 'FOUND' : 'PASSES'
  console.log(`${isGood ? `✔ ${verdict}` : '✘ MISSED'} ${platform.id} (exit code ${exitCode}, ${seconds.toFixed(0)} s)`)
  const shown = rows.filter((row) => isBroken || row.verdict !== 'passed')
  for (const row of shown) console.log(`    ${row.id}: ${row.verdict}: ${row.evidence.slice(0, 160)}`)
  return isGood
}

const unusable =
  ({ id }: Tried) =>
  (error: unknown): boolean => {
    console.log(`! ${id}: ${(error as Error).message}`)
    return false
  }

const { values, positionals } = parseArgs({ options: { jobs: { type: 'string' } }, allowPositionals: true })
const wanted = brokenPlatforms.filter(
  ({ id }) => positionals.length === 0 || positionals.some((part) => id.includes(part)),
)
if (wanted.length === 0) {
  console.error('There is no such fault. See the ids in test/conformance/faults.ts.')
  process.exit(2)
}
process.exit(await onTestGround((ground) => main(ground, wanted, Number(values.jobs ?? 1))))
