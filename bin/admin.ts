import { migrations } from '../migrations/index.ts'
import { readDatabaseConfig } from '../src/config/command-config.ts'
import { createDatabase } from '../src/database/database.ts'
import { assertSchema } from '../src/database/migrate.ts'
import { createLogger } from '../src/logger.ts'
import type { AdminCommand, LoneCommand } from './admin/admin-command.ts'
import { announceRestoreCommand, backupCommand, restoreCommand, resumeRestoredCommand } from './admin/backups.ts'
import { firstAdmin, makeAdmin, removeAdmin } from './admin/admins.ts'
import { doctor } from './admin/doctor.ts'
import { inviteCommand } from './admin/invite.ts'
import { rehearseUpgrade } from './admin/rehearse-upgrade.ts'
import { resetPasswordCommand } from './admin/reset-password.ts'
import { rotateKeys } from './admin/rotate-keys.ts'
import { failureInWords, hasDatabase, settingsOfCommand } from './shared-settings.ts'
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
  'rehearse-upgrade': rehearseUpgrade,
  backup: backupCommand,
  restore: restoreCommand,
  'announce-restore': announceRestoreCommand,
  'resume-restored': resumeRestoredCommand,
}

async function carryOut(name: string, command: AdminCommand | LoneCommand): Promise<void> {
  if ('alone' in command) return console.log(await command.alone(process.argv.slice(3), usageOf(name, command)))
  if (!command.startsPostgres || hasDatabase()) return carryOutAt(settingsOfCommand(), { name, command })
  // Only a machine for development has its packages.
  const { withEmbeddedPostgres } = await import('./local/postgres/embedded-alone.ts')
  await withEmbeddedPostgres(command.startsPostgres, (settings) =>
    carryOutAt(settings, { name, command, hasTemporal: settings['TEMPORAL_ADDRESS'] !== undefined }),
  )
}

async function carryOutAt(
  settings: Record<string, string>,
  { name, command, hasTemporal = true }: { name: string; command: AdminCommand; hasTemporal?: boolean },
): Promise<void> {
  const { work, isLong = false, startsEmpty = false } = command
  const database = createDatabase(readDatabaseConfig(settings), createLogger('warn', name), { deadlines: !isLong })
  try {
    if (!startsEmpty) await assertSchema(database, migrations)
    const usage = usageOf(name, command)
    console.log(await work(database, { words: process.argv.slice(3), usage, settings, hasTemporal }))
  } finally {
    await database.destroy()
  }
}

const usageOf = (name: string, { takes }: { takes: string }): string => `npm run admin -- ${name} ${takes}`

const width = Math.max(...Object.values(commands).map(({ takes }) => takes.length))
const lines = Object.entries(commands).map(([name, { takes, does }]) => [name, `${takes.padEnd(width)}  ${does}`])
const name = chosenName('admin', Object.fromEntries(lines) as Record<string, string>)
await carryOut(name, commands[name]!).catch((error: unknown) => {
  console.error(failureInWords(error))
  process.exitCode = 1
})
