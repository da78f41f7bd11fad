import { migrations } from '../migrations/index.ts'
import { readDatabaseConfig } from '../src/config/config.ts'
import { createDatabase, type Database } from '../src/database/database.ts'
import { assertSchema } from '../src/database/migrate.ts'
import { createLogger } from '../src/logger.ts'
import type { AdminCommand, LoneCommand } from './admin/admin-command.ts'
import { firstAdmin, makeAdmin, removeAdmin } from './admin/admins.ts'
import { doctor } from './admin/doctor.ts'
import { inviteCommand } from './admin/invite.ts'
import { resetPasswordCommand } from './admin/reset-password.ts'
import { rotateKeys } from './admin/rotate-keys.ts'
import { failureInWords, settingsOfCommand } from './shared-settings.ts'
import { chosenName } from './named-programs.ts'

/**
 * `npm run admin -- <command>`: operator commands for the database of DATABASE_URL, or of a running `npm start`. They
 * are safe while the platform runs. Without a command, lists them. On failure, prints the reason and exits with 1.
 */
const commands: Record<string, AdminCommand | LoneCommand> = {
  doctor,
  'first-admin': firstAdmin,
  'make-admin': makeAdmin,
  'remove-admin': removeAdmin,
  invite: inviteCommand,
  'reset-password': resetPasswordCommand,
  'rotate-keys': rotateKeys,
}

async function carryOut(name: string, command: AdminCommand | LoneCommand): Promise<void> {
  const words = process.argv.slice(3)
  const usage = `npm run admin -- ${name} ${command.takes}`
  if ('alone' in command) console.log(await command.alone({ words, usage }))
  else await withDatabase(name, (database, settings) => command.work(database, { words, usage, settings }))
}

async function withDatabase(
  name: string,
  work: (database: Database, settings: Record<string, string>) => Promise<string>,
): Promise<void> {
  const settings = settingsOfCommand()
  const database = createDatabase(readDatabaseConfig(settings), createLogger('warn', name))
  try {
    await assertSchema(database, migrations)
    console.log(await work(database, settings))
  } finally {
    await database.destroy()
  }
}

const width = Math.max(...Object.values(commands).map(({ takes }) => takes.length))
const lines = Object.entries(commands).map(([name, { takes, does }]) => [name, `${takes.padEnd(width)}  ${does}`])
const name = chosenName('admin', Object.fromEntries(lines) as Record<string, string>)
await carryOut(name, commands[name]!).catch((error: unknown) => {
  console.error(failureInWords(error))
  process.exitCode = 1
})
