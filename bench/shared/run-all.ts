import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { execa } from '../../bin/execa.ts'
import { pageOf } from './page.ts'
import type { Report } from './report.ts'

/** The benchmarks that report to the page, in its order. */
const registered = ['accept', 'dispatch', 'serial', 'fleet', 'step', 'cost', 'memory', 'correctness', 'console']

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Runs the registered benchmarks one after another, each as a process, and writes their reports to a page. If one
 * fails, runs the others, keeps the page as it is and sets a failing exit code.
 */
export async function runAll(page: string): Promise<void> {
  const reports: Report[] = []
  const failed: string[] = []
  for (const name of registered) {
    console.log(`\n${elapsed()}  npm run bench -- ${name}`)
    const found = await reportsOf(name)
    if (found) reports.push(...found)
    else failed.push(name)
  }
  if (failed.length > 0) {
    console.error(`\n${elapsed()}  Failed, so nothing is written: ${failed.join(', ')}`)
    process.exitCode = 1
    return
  }
  writeFileSync(page, pageOf(reports))
  await execa('oxfmt', [page], { cwd: root, preferLocal: true })
  console.log(`\n${elapsed()}  Written to ${page}`)
}

/** What the benchmark published, or undefined if it failed or published nothing. */
async function reportsOf(name: string): Promise<Report[] | undefined> {
  const reports: Report[] = []
  const child = fork(fileURLToPath(new URL(`../${name}.ts`, import.meta.url)))
  child.on('message', (report: Report) => reports.push(report))
  // Every message arrives before the channel closes, but not before the exit.
  const [ended] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  const [code, signal] = ended as [number | null, string | null]
  if (code === 0 && reports.length > 0) return reports
  console.error(`npm run bench -- ${name} failed: exit ${code ?? signal}, ${reports.length} reports`)
  return undefined
}

/** The time since this process started, as minutes and seconds. */
function elapsed(): string {
  const seconds = Math.floor(process.uptime())
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
