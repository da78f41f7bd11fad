import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openCopy, type ProjectCopy, type Finding } from '../test/faults/examine.ts'
import { chosen, problemsOf, type Fault } from '../test/faults/fault.ts'
import { faults } from '../test/faults/index.ts'
import { readResults } from '../test/faults/results.ts'
import { onTestGround, startAva, type TestGround } from './local/test/test-ground.ts'

/**
 * `npm run faults [-- [--jobs <n>] [--once] <part of an id or path>…]`: plants faults in a copy of the project, one at
 * a time, and shows which tests notice each. For people who change the code; `npm test` does not run it. A fault must
 * be noticed twice in a row, because a flaky test rarely fails twice; `--once` takes half the time. Exits with 1 if a
 * fault was missed or could not be planted, or if tests fail without a fault.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
/** A slower answer is reported, because people do not wait for it. */
const slowSeconds = 20

async function main(
  ground: TestGround,
  wanted: Fault[],
  { jobs, times }: { jobs: number; times: number },
): Promise<number> {
  const problems = problemsOf(faults, (path) => existsSync(join(root, path)))
  const usable = wanted.filter((fault) => !problems.has(fault))
  const copies = await Promise.all(
    Array.from({ length: Math.min(jobs, usable.length) }, (_, index) => openCopy(ground, root, `faults_${index + 1}`)),
  )
  const unplanted = wanted.flatMap((fault) => (problems.has(fault) ? [{ fault, problem: problems.get(fault)! }] : []))
  for (const { fault, problem } of unplanted) console.log(`! ${fault.id}: ${problem}`)
  const { passing, failing } = copies[0] ? await runUnedited(ground, copies[0], usable) : nothing
  for (const title of failing) console.log(`! fails without any fault: ${title}`)
  const findings: Finding[] = []
  const queue = [...usable]
  const work = async (copy: ProjectCopy): Promise<void> => {
    for (let fault = queue.shift(); fault; fault = queue.shift()) {
      try {
        let finding = await copy.examine(fault, passing)
        for (let time = 2; time <= times && finding.verdict.kind === 'noticed'; time += 1)
          finding = await copy.examine(fault, passing)
        findings.push(finding)
        console.log(describe(finding))
      } catch (error) {
        unplanted.push({ fault, problem: (error as Error).message })
        console.log(`! ${fault.id}: ${(error as Error).message}`)
      }
    }
  }
  await Promise.all(copies.map(work))
  return sum(findings, unplanted.length, failing.length)
}

const nothing = { passing: new Set<string>(), failing: [] as string[] }

/** Runs the needed tests once: only a test that passes now can notice a fault later. */
async function runUnedited({ record }: TestGround, { folder, env }: ProjectCopy, list: Fault[]) {
  const whole = new Set(list.filter(({ match }) => match === undefined).flatMap(({ tests }) => tests))
  const partly = list.filter(({ tests }) => tests.some((file) => !whole.has(file)))
  const parts = new Set(partly.flatMap(({ tests }) => tests).filter((file) => !whole.has(file)))
  console.log(`Running the tests of ${whole.size + parts.size} files without any fault ...`)
  const titles = [...new Set(partly.map(({ match }) => match ?? '*'))].flatMap((match) => ['--match', match])
  const results = [...(await runTests([...whole])), ...(await runTests([...parts], titles))]
  return {
    passing: new Set(results.filter(({ passed }) => passed).map(({ title }) => title)),
    failing: results.filter(({ passed }) => !passed).map(({ title }) => title),
  }

  async function runTests(files: string[], titles: string[] = []) {
    if (files.length === 0) return []
    const concurrency = ['--concurrency', String(availableParallelism())]
    const ava = startAva({ record, env }, [...files, ...titles, ...concurrency], { root: folder, quiet: true })
    const results = await readResults(ava.output)
    await ava.ended
    return results
  }
}

function describe({ fault, seconds, verdict }: Finding): string {
  const time = `${seconds.toFixed(1)} s`
  if (verdict.kind === 'noticed') return `✔ ${fault.id} (${time}): noticed by "${verdict.by}"`
  if (verdict.kind === 'broken')
    return `✘ ${fault.id} (${time}): NO TEST RAN${verdict.report ? `, but: ${verdict.report}` : ''}`
  const how = verdict.kind === 'late' ? 'NOT NOTICED IN TIME' : 'MISSED'
  return `✘ ${fault.id} (${time}): ${how} by ${fault.tests.join(', ')}\n    ${fault.file}: ${fault.why}`
}

function sum(findings: Finding[], unplanted: number, failing: number): number {
  const noticed = findings.filter(({ verdict }) => verdict.kind === 'noticed')
  const missed = findings.length - noticed.length
  const slow = noticed.filter(({ seconds }) => seconds > slowSeconds)
  for (const { fault, seconds } of slow) console.log(`slow: ${fault.id} took ${seconds.toFixed(1)} s to be noticed`)
  const tail = failing > 0 ? `, ${failing} tests fail without any fault` : ''
  console.log(`\n${noticed.length} noticed, ${missed} missed, ${unplanted} not planted${tail}`)
  return missed + unplanted + failing > 0 ? 1 : 0
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
  console.error(`No fault has an id or a path with ${positionals.join(' or ')} in it.`)
  process.exit(1)
}
const options = { jobs: Math.max(1, Number(values.jobs) || 1), times: values.once ? 1 : 2 }
process.exit(
  await onTestGround((ground) => main(ground, wanted, options)).catch((error: unknown) => {
    console.error((error as Error).message)
    return 1
  }),
)
