import { parseArgs } from 'node:util'

export const usage = `Usage: npm run conformance -- [base url] [options]

  base url           The platform; by default the one that npm start runs here.
  --facts <file>     What npm start has written; by default conformance.json in the data folder.
  --only <ids>       Only the rows whose ids begin so, separated by commas: codes/NO_CREDITS,webhook/
  --list             The rows, without trying them.
  --json             The table as JSON.

Exit code 0 if all rows passed, 1 if one failed, 2 if some were not tried or the command line is wrong.`

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export interface Arguments {
  base: string | undefined
  factsFile: string | undefined
  only: string[]
  lists: boolean
  json: boolean
  asksForHelp: boolean
}

/** Reads the command line. Throws a UsageError. */
export function readArguments(args: string[]): Arguments {
  const { values, positionals } = parse(args)
  const [base, ...more] = positionals
  if (more.length > 0) throw new UsageError('There is one base URL.')
  if (base !== undefined && !/^https?:\/\//.test(base))
    throw new UsageError('The base URL begins with https:// or http://.')
  return {
    base,
    factsFile: values.facts,
    only: values.only?.split(',').filter((part) => part !== '') ?? [],
    lists: values.list,
    json: values.json,
    asksForHelp: values.help,
  }
}

function parse(args: string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const options = { facts: text, only: text, list: flag, json: flag, help: flag }
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
