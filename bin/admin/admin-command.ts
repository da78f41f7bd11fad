import type { Database } from '../../src/database/database.ts'

/** A command for operators. It needs the database but no running process. */
export interface AdminCommand {
  takes: string
  does: string
  /** Its statements may take any time. */
  isLong?: true
  /** It begins with a database that has no schema yet. */
  startsEmpty?: true
  /**
   * Without DATABASE_URL and a running `npm start`, it starts the Postgres of `npm start`: with its data, or beside it.
   */
  startsPostgres?: 'as it is' | 'emptied'
  /** Runs the command and returns the text to print. Throws an error whose message is a sentence. */
  work: (database: Database, given: Given) => Promise<string>
}

/** A command that must work without a usable database. */
export interface LoneCommand {
  takes: string
  does: string
  /** Runs the command and returns the text to print. Throws an error whose message is a sentence. */
  alone: (words: string[], usage: string) => Promise<string>
}

export interface Given {
  words: string[]
  usage: string
  settings: Record<string, string>
  /** Whether there is a Temporal besides the stopped one of `npm start`. */
  hasTemporal: boolean
}

/** The single argument, which must be an email address. */
export function addressIn(words: string[], usage: string): string {
  const [address, ...more] = words
  if (address === undefined || address.startsWith('-') || more.length > 0) throw new Error(`Give one address: ${usage}`)
  return address
}
