import { parseArgs } from 'node:util'

export const usage = `Usage: npm run conformance -- [base url] [options]
       npm run conformance -- twice
       npm run conformance -- faults [--jobs <n>] [<part of an id>…]

  base url           The platform. By default the one that npm start runs here.
  --facts <file>     The file that npm start writes. By default conformance.json in the data folder.
  --only <ids>       Only rows whose ids start with one of these: codes/NO_CREDITS,webhook/
  --list             List the rows without trying them.
  --json             Print the table as JSON.
  twice              Try all rows twice, on a separate installation.
  faults             Show that the check finds copies of the platform with one broken behavior.

Exit code 0 if all rows passed, 1 if one failed, 2 if some were not tried, nothing could be tried, or the command line is
invalid, and 130 if it was interrupted. Ctrl-C deletes what the check created. A second one exits immediately.`

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export interface Arguments {
  /** Scheme, host and port. */
  base: string | undefined
  factsFile: string | undefined
  /** Prefixes of row ids; undefined for all rows. */
  only: string[] | undefined
  lists: boolean
  json: boolean
  asksForHelp: boolean
}

/** Reads the command line. Throws a UsageError. */
export function readArguments(args: string[]): Arguments {
  const { values, positionals } = parse(args)
  const [base, ...more] = positionals
  if (more.length > 0) throw new UsageError('Give only one base URL.')
  return {
    base: base === undefined ? undefined : originOf(base),
    factsFile: values.facts,
    only: values.only === undefined ? undefined : partsOf(values.only),
    lists: values.list,
    json: values.json,
    asksForHelp: values.help,
  }
}

function partsOf(only: string): string[] {
  const parts = only.split(',').filter((part) => part !== '')
  if (parts.length === 0) throw new UsageError('--only names no row. --list shows all rows.')
  return parts
}

/** Errors never repeat the address, because it may contain a password. */
function originOf(base: string): string {
  if (!/^https?:\/\//i.test(base)) throw new UsageError('The base URL begins with https:// or http://.')
  if (!URL.canParse(base)) throw new UsageError('The base URL is no URL: it is made like http://127.0.0.1:3000.')
  const { origin, username, password, pathname, search, hash } = new URL(base)
  if (username !== '' || password !== '')
    throw new UsageError('The base URL has a user name or password. Leave it out.')
  if (pathname !== '/' || search !== '' || hash !== '')
    throw new UsageError('The base URL ends with host and port: Switchyard has no path before those of its API.')
  return origin
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
