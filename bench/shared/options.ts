import { parseArgs } from 'node:util'

/** Whole numbers from the command line, such as `--rounds 5`, each with its default. */
export function numbersGiven<Name extends string>(defaults: Record<Name, number>): Record<Name, number> {
  const names = Object.keys(defaults) as Name[]
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ options })
  const entries = names.map((name) => [name, values[name] === undefined ? defaults[name] : wholeOf(name, values[name])])
  return Object.fromEntries(entries) as Record<Name, number>
}

function wholeOf(name: string, given: unknown): number {
  const number = Number(given)
  if (Number.isInteger(number) && number > 0) return number
  throw new Error(`--${name} is ${String(given)}. Give a whole number above 0.`)
}
