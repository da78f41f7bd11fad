import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { openCopy, type Finding, type ProjectCopy } from '../test/faults/examine.ts'
import { chosen, problemOf, type Fault } from '../test/faults/fault.ts'
import { faults } from '../test/faults/index.ts'
import { onTestGround, type TestGround } from './local/test/test-ground.ts'

/**
 * `npm run faults [-- [--jobs <n>] [--once] <part of an id>…]`: plants faults in a copy of the project, one at a time,
 * and shows which tests notice each fault. `npm test` does not run it. A fault must be noticed twice in a row, because
 * a flaky test rarely fails twice; `--once` takes half the time. Exits with 1 if a fault was missed or could not be
 * planted, or if tests fail without a fault.
 */
async function main(ground: TestGround, wanted: Fault[], options: { jobs: number; times: number }): Promise<number> {
  const usable: Fault[] = []
  for (const fault of wanted) {
    const problem = await problemOf(fault, faults)
    if (problem === undefined) usable.push(fault)
    else console.log(`! ${fault.id}: ${problem}`)
  }
  const names = Array.from({ length: Math.min(options.jobs, usable.length) }, (_, index) => `faults_${index + 1}`)
  const copies = await Promise.all(names.map((name) => openCopy(ground, name)))
  const tests = [...new Set(usable.flatMap((fault) => fault.tests))]
  console.log(`Running the tests of ${tests.length} files without a fault ...`)
  const results = (await copies[0]?.unedited(tests)) ?? []
  const failing = results.filter(({ passed }) => !passed)
  for (const { title } of failing) console.log(`! fails without a fault: ${title}`)
  // Only a test that passes without a fault can notice one.
  const passing = new Set(results.filter(({ passed }) => passed).map(({ title }) => title))
  const findings: Finding[] = []
  const queue = [...usable]
  const work = async (copy: ProjectCopy): Promise<void> => {
    for (let fault = queue.shift(); fault; fault = queue.shift()) {
      const finding = await examine(copy, fault, { passing, times: options.times })
      findings.push(finding)
      console.log(describe(finding))
    }
  }
  await Promise.all(copies.map(work))
  const noticed = findings.filter(({ verdict }) => verdict.kind === 'noticed').length
  const unplanted = wanted.length - usable.length
  console.log(`\n${noticed} noticed, ${findings.length - noticed} missed, ${unplanted} not planted`)
  return noticed < wanted.length || failing.length > 0 ? 1 : 0
}

interface Asked {
  passing: ReadonlySet<string>
  times: number
}

async function examine(copy: ProjectCopy, fault: Fault, { passing, times }: Asked): Promise<Finding> {
  const finding = await copy.examine(fault, passing)
  return finding.verdict.kind === 'noticed' && times > 1 ? examine(copy, fault, { passing, times: times - 1 }) : finding
}

function describe({ fault, file, seconds, verdict }: Finding): string {
  const time = `${seconds.toFixed(1)} s`
  if (verdict.kind === 'noticed') return `✔ ${fault.id} (${time}): noticed by "${verdict.by}"`
  if (verdict.kind === 'broken') return `✘ ${fault.id} (${time}): NO TEST RAN: ${verdict.report ?? 'nothing'}`
  const how = verdict.kind === 'late' ? 'NOT NOTICED IN TIME' : 'MISSED'
  return `✘ ${fault.id} (${time}): ${how} by ${fault.tests.join(', ')}\n    ${file}: ${fault.why}`
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: String(Math.min(4, availableParallelism())) },
    once: { type: 'boolean', default: false },
  },
})
const wanted = chosen(faults, positionals)
if (wanted.length === 0) {
  console.error(`No fault has an id or a place that contains ${positionals.join(' or ')}.`)
  process.exit(2)
}
const options = { jobs: Math.max(1, Number(values.jobs) || 1), times: values.once ? 1 : 2 }
process.exit(
  await onTestGround((ground) => main(ground, wanted, options)).catch((error: unknown) => {
    console.error((error as Error).message)
    return 1
  }),
)
