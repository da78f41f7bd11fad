import * as v from 'valibot'
import type { Config } from './config.ts'
import { freeze, readEnvironment, settings, type Environment } from './environment.ts'
import { callbacksOf, databaseOf, databaseSettings, mailOf, temporalOf, temporalSettings } from './groups.ts'

/** The settings of the migration program, which does not need the keys. */
export function readDatabaseConfig(env?: Environment): Pick<Config, 'database'> {
  return freeze({ database: databaseOf(readEnvironment(databaseSettings, env)) })
}

const restoring = v.object({
  ...temporalSettings.entries,
  ...v.pick(settings, ['SMTP_URL', 'MAIL_FROM', 'SMTP_TIMEOUT_SECONDS', 'AUDIT_DAYS', 'SCHEDULE_CATCH_UP_SECONDS'])
    .entries,
  ...v.pick(settings, ['CALLBACK_TIMEOUT_SECONDS', 'CALLBACK_HOURS']).entries,
})

/** The settings of the commands that restore the database. */
export function readRestoreConfig(env?: Environment) {
  const read = readEnvironment(restoring, env)
  return freeze({
    mail: mailOf(read),
    callbacks: callbacksOf(read),
    auditDays: read.AUDIT_DAYS,
    scheduleCatchUpSeconds: read.SCHEDULE_CATCH_UP_SECONDS,
    temporal: temporalOf(read),
  })
}

/** The API's public address, for commands that print it. */
export const readBaseUrl = (env?: Environment): string => readEnvironment(v.pick(settings, ['BASE_URL']), env).BASE_URL

const vault = v.object({ ...databaseSettings.entries, ...v.pick(settings, ['VAULT_KEYS']).entries })

/** The settings of the program that rotates the vault keys. */
export function readVaultConfig(env?: Environment): Pick<Config, 'database' | 'vaultKeys'> {
  const read = readEnvironment(vault, env)
  return freeze({ database: databaseOf(read), vaultKeys: read.VAULT_KEYS })
}
