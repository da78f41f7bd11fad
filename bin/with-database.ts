import { migrations } from '../migrations/index.ts'
import { readDatabaseConfig } from '../src/config/config.ts'
import { createDatabase, type Database } from '../src/database/database.ts'
import { assertSchema } from '../src/database/migrate.ts'
import { createLogger } from '../src/logger.ts'
import { failureInWords, settingsOfCommand } from './beside-start.ts'

/**
 * A command for operators that needs a database only: that of DATABASE_URL, or of an `npm start` beside it. Does the work
 * with a connection, and prints what it returns. If it fails, prints the reason and ends the process with 1.
 */
export async function withDatabase(
  name: string,
  work: (database: Database, settings: Record<string, string>) => Promise<string>,
): Promise<void> {
  try {
    const settings = settingsOfCommand()
    const database = createDatabase(readDatabaseConfig(settings), createLogger('warn', name))
    try {
      await assertSchema(database, migrations)
      console.log(await work(database, settings))
    } finally {
      await database.destroy()
    }
  } catch (error) {
    console.error(failureInWords(error))
    process.exitCode = 1
  }
}
