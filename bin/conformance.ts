// @promise specification
import { join, resolve } from 'node:path'
import { readArguments, usage, UsageError, type Arguments } from '../conformance/arguments.ts'
import { createCheck } from '../conformance/check.ts'
import { readFacts, type Facts } from '../conformance/facts.ts'
import { asJson, exitCodeOf, interrupted, line, summary } from '../conformance/report.ts'
import { rows } from '../conformance/rows.ts'
import { loadEnvFile } from '../src/config/environment.ts'
import { readLocalConfig } from '../src/config/local-config.ts'
import { onStopRequest } from './local/on-stop.ts'
import { runProgram } from './named-programs.ts'

/**
 * `npm run conformance -- [base url]`: provokes each code of docs/specification.md and tries every other row of its
 * tables, over HTTP alone. Exit code 0 if all rows passed, 1 if one failed, 2 if a row was not tried, 130 after an
 * interruption. `-- twice`, `-- faults`, `-- mcp-client` and `-- mcp-server` start their own installations.
 */
async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2))
  if (given.asksForHelp) return say(usage, 0)
  const chosen = chosenRows(given.only)
  if (given.lists) return say(chosen.map(({ id, says }) => `${id.padEnd(38)} ${says}`).join('\n'), 0)
  return tried(given, chosen)
}

/**
 * The rows whose ids start with one of these prefixes. An unknown prefix is an error, because the check would pass
 * without it.
 */
function chosenRows(only: string[] | undefined): typeof rows {
  if (only === undefined) return rows
  const unknown = only.filter((start) => !rows.some(({ id }) => id.startsWith(start)))
  if (unknown.length > 0) throw new UsageError(`There is no such row: ${unknown.join(', ')}. --list shows all rows.`)
  return rows.filter(({ id }) => only.some((start) => id.startsWith(start)))
}

async function tried(given: Arguments, chosen: typeof rows): Promise<number> {
  const began = performance.now()
  const { base, facts } = readPlatform(given)
  note(`Trying ${chosen.length} rows at ${base} ...`)
  const check = createCheck({ base, facts, rows: chosen, say: note })
  stopWhenAsked(check)
  const judged = await check.run()
  console.log(given.json ? JSON.stringify(judged.map(asJson), null, 2) : judged.map(line).join('\n'))
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  const sums = `\n${summary(judged)} ${seconds} s.`
  if (!check.isStopped()) return say(sums, exitCodeOf(judged), given.json)
  note(`${sums} Interrupted: ${judged.length} of ${chosen.length} rows have a verdict.`)
  return interrupted
}

function readPlatform({ base: asked, factsFile }: Arguments): { base: string; facts: Facts | undefined } {
  const file = factsFile ?? defaultFile()
  const found = readFacts(file)
  if (factsFile !== undefined && !found) throw new UsageError(`There is no file ${factsFile}.`)
  const base = asked ?? found?.api
  if (base === undefined)
    throw new UsageError('Switchyard is not running here. Give a base URL, or start it: npm start')
  // The facts of another installation do not apply to this one.
  const facts = found && new URL(found.api).origin === new URL(base).origin ? found : undefined
  if (facts) return { base, facts }
  note(found ? `The facts in ${file} are about ${found.api}, not ${base}:` : `There is no file ${file}:`)
  note('rows that need facts about the installation are skipped.')
  return { base, facts }
}

function defaultFile(): string {
  loadEnvFile()
  return join(resolve(readLocalConfig().DATA_DIR), 'conformance.json')
}

/** A second Ctrl-C exits immediately. A signal within this time is the same key press, forwarded by npm. */
const samePressMs = 1000

function stopWhenAsked(check: ReturnType<typeof createCheck>): void {
  let first = 0
  onStopRequest(readLocalConfig().environment, () => {
    if (first === 0) {
      first = Date.now()
      note('Stopping, and deleting what the check created. Press Ctrl-C again to exit immediately.')
      return check.stop()
    }
    if (Date.now() - first < samePressMs) return
    const staying = check.staying()
    // The deletions may have started.
    const some = `These accounts remain, along with everything that has not been deleted yet: ${staying.join(', ')}`
    note(staying.length > 0 ? some : 'No account remains.')
    process.exit(interrupted)
  })
}

/** Prints waits and problems to standard error, because standard output has only the table. */
const note = (text: string): void => console.error(text)

function say(text: string, exitCode: number, aside = false): number {
  if (aside) note(text)
  else console.log(text)
  return exitCode
}

const ownPrograms = ['twice', 'faults', 'mcp-client', 'mcp-server']

const [word = '', ...more] = process.argv.slice(2)
try {
  if (ownPrograms.includes(word)) await runProgram(new URL(`conformance/${word}.ts`, import.meta.url), more)
  else process.exitCode = await main()
  // Interrupted rows may still wait for something.
  if (process.exitCode === interrupted) process.exit()
} catch (error) {
  console.error(error instanceof UsageError ? `${error.message}\n\n${usage}` : (error as Error).message)
  process.exitCode = 2
}
