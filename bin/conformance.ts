import { join, resolve } from 'node:path'
import { readArguments, usage, UsageError, type Arguments } from '../conformance/arguments.ts'
import { check } from '../conformance/check.ts'
import { readFacts } from '../conformance/facts.ts'
import { asJson, exitCodeOf, line, summary } from '../conformance/report.ts'
import { rows } from '../conformance/rows.ts'
import { loadEnvFile } from '../src/config/environment.ts'
import { readLocalConfig } from '../src/config/local-config.ts'

/**
 * `npm run conformance -- [base url]`: provokes each code of docs/specification.md and tries every other row of its
 * tables, over HTTP alone. Exit code 0 if all rows passed, 1 if one failed, 2 if some were not tried.
 */
async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2))
  if (given.asksForHelp) return say(usage, 0)
  const chosen = rows.filter(({ id }) => given.only.length === 0 || given.only.some((start) => id.startsWith(start)))
  if (chosen.length === 0) throw new UsageError('There is no such row; --list shows them.')
  if (given.lists) return say(chosen.map(({ id, says }) => `${id.padEnd(38)} ${says}`).join('\n'), 0)
  return tried(given, chosen)
}

async function tried({ base: asked, factsFile, json }: Arguments, chosen: typeof rows): Promise<number> {
  const began = performance.now()
  const found = readFacts(factsFile ?? (await defaultFile()))
  const base = asked ?? found?.api
  if (base === undefined)
    throw new UsageError('Switchyard is not running here. Give a base URL, or start it: npm start')
  // Those of another installation would say nothing about this one.
  const facts = found && new URL(found.api).origin === new URL(base).origin ? found : undefined
  if (!facts) note('There are no facts about this installation: rows that need them are not tried.')
  note(`Trying ${chosen.length} rows at ${base} ...`)
  const judged = await check({ base, facts, rows: chosen, say: note })
  console.log(json ? JSON.stringify(judged.map(asJson), null, 2) : judged.map(line).join('\n'))
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  return say(`\n${summary(judged)} ${seconds} s.`, exitCodeOf(judged), json)
}

async function defaultFile(): Promise<string> {
  loadEnvFile()
  return join(resolve(readLocalConfig().DATA_DIR), 'conformance.json')
}

/** Of waits and of what went wrong beside the rows; the table alone is on standard output. */
const note = (text: string): void => console.error(text)

function say(text: string, exitCode: number, aside = false): number {
  if (aside) note(text)
  else console.log(text)
  return exitCode
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof UsageError ? `${error.message}\n\n${usage}` : (error as Error).message)
  process.exitCode = 2
}
