import { migrations } from '../migrations/index.ts'
import { readDatabaseConfig } from '../src/config/config.ts'
import { loadEnvFile } from '../src/config/environment.ts'
import { createDatabase, type Database } from '../src/database/database.ts'
import { assertSchema } from '../src/database/migrate.ts'
import { createLogger } from '../src/logger.ts'

/**
 * A command for operators that needs DATABASE_URL only: does the work with a connection, and prints what it returns. If
 * it fails, prints the reason and ends the process with 1.
 */
export async function withDatabase(name: string, work: (database: Database) => Promise<string>): Promise<void> {
  try {
    loadEnvFile()
    const database = createDatabase(readDatabaseConfig(), createLogger('warn', name))
    try {
      await assertSchema(database, migrations)
      console.log(await work(database))
    } finally {
      await database.destroy()
    }
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
