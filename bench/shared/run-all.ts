import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { execaSync } from 'execa'
import { pageOf } from './page.ts'
import type { Report } from './report.ts'

/** The benchmarks that report to the page, in its order. */
const registered = ['accept', 'correctness']

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the registered benchmarks one after another, each as a process, and writes their reports to a page. */
export async function runAll(page: string): Promise<void> {
  const reports: Report[] = []
  for (const name of registered) reports.push(...(await reportsOf(name)))
  writeFileSync(page, pageOf(reports))
  execaSync('oxfmt', [page], { cwd: root, preferLocal: true })
  console.log(`\nWritten to ${page}`)
}

async function reportsOf(name: string): Promise<Report[]> {
  console.log(`\nnpm run bench -- ${name}`)
  const reports: Report[] = []
  const child = fork(fileURLToPath(new URL(`../${name}.ts`, import.meta.url)))
  child.on('message', (report: Report) => reports.push(report))
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`npm run bench -- ${name} failed`)
  return reports
}
