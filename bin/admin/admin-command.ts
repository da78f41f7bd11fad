import type { Database } from '../../src/database/database.ts'

/** A command for operators that needs the database, and none of the processes. */
export interface AdminCommand {
  /** What follows its name. */
  takes: string
  does: string
  /** Does it, and returns what to print. Throws a sentence if it cannot. */
  work: (database: Database, given: Given) => Promise<string>
}

export interface Given {
  /** What followed its name. */
  words: string[]
  /** How the command is written. */
  usage: string
  settings: Record<string, string>
}

/** The address in a command line that names one and nothing else. */
export function addressIn(words: string[], usage: string): string {
  const [address, ...more] = words
  if (address === undefined || address.startsWith('-') || more.length > 0) throw new Error(`Name one address: ${usage}`)
  return address
}
