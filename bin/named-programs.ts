import { readdirSync } from 'node:fs'

/** The names that a command accepts, each with a description or an empty text. */
export type Named = Record<string, string>

/** The programs directly in a folder. */
export function namedIn(folder: URL): Named {
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts'))
  return Object.fromEntries(names.toSorted().map((name) => [name.slice(0, -'.ts'.length), '']))
}

/**
 * The first argument of a command, which must be one of the names. Otherwise lists the names and exits with 0 after
 * `--help`, or with 2 if the argument is missing or unknown.
 */
export function chosenName(command: string, named: Named): string {
  const [word] = process.argv.slice(2)
  const asksForHelp = process.argv.includes('--help')
  if (word !== undefined && !asksForHelp && Object.hasOwn(named, word)) return word
  const list = `Usage: npm run ${command} -- <name>\n\n${linesOf(named).join('\n')}`
  if (asksForHelp) console.log(list)
  else console.error(word === undefined ? list : `npm run ${command} does not know "${word}".\n\n${list}`)
  return process.exit(asksForHelp ? 0 : 2)
}

function linesOf(named: Named): string[] {
  const width = Math.max(...Object.keys(named).map((name) => name.length))
  return Object.entries(named).map(([name, does]) => `  ${name.padEnd(width)}  ${does}`.trimEnd())
}

export async function runProgram(program: URL, words: string[]): Promise<void> {
  process.argv.splice(2, process.argv.length, ...words)
  await import(program.href)
}
