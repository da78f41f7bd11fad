import { parseArgs } from 'node:util'
import { migrations } from '../migrations/index.ts'
import { readDatabaseConfig } from '../src/config/command-config.ts'
import { createDatabase } from '../src/database/database.ts'
import { createLogger } from '../src/logger.ts'
import { settingsOfCommand } from './shared-settings.ts'
import { migrate, rollback } from '../src/database/migrate.ts'

/**
 * `node bin/migrate.ts` migrates the schema of DATABASE_URL to the latest version; `--rollback` rolls back the last
 * migration.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { rollback: { type: 'boolean', default: false } } })
  const database = createDatabase(readDatabaseConfig(settingsOfCommand()), createLogger('warn', 'migrate'), {
    deadlines: false,
  })
  try {
    const names = await (values.rollback ? rollback : migrate)(database, migrations, console.log)
    const done = values.rollback ? 'Rolled back' : 'Applied'
    console.log(names.length > 0 ? `${done}: ${names.join(', ')}` : 'Nothing to do.')
  } finally {
    await database.destroy()
  }
}

main().catch((error: unknown) => {
  const { code, message } = error as { code?: unknown; message: string }
  console.error(`The migration failed${typeof code === 'string' ? ` (${code})` : ''}: ${message}`)
  process.exitCode = 1
})
