import type { Database } from '../../src/database/database.ts'

/** A command for operators. It needs the database but no running process. */
export interface AdminCommand {
  takes: string
  does: string
  /** Runs the command and returns the text to print. Throws an error whose message is a sentence. */
  work: (database: Database, given: Given) => Promise<string>
}

/** A command that must work without a usable database. */
export interface LoneCommand {
  takes: string
  does: string
  /** Runs the command and returns the text to print. Throws an error whose message is a sentence. */
  alone: (given: Omit<Given, 'settings'>) => Promise<string>
}

export interface Given {
  words: string[]
  usage: string
  settings: Record<string, string>
}

/** The single argument, which must be an email address. */
export function addressIn(words: string[], usage: string): string {
  const [address, ...more] = words
  if (address === undefined || address.startsWith('-') || more.length > 0) throw new Error(`Give one address: ${usage}`)
  return address
}
