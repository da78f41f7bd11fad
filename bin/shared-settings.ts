import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isUnreachable } from '../src/database/database.ts'
import { loadEnvFile, present } from '../src/config/environment.ts'
import { usualFolder } from '../src/config/local-config.ts'
import { settingsAmong } from '../src/config/unknown-settings.ts'

/** The file with these settings while `npm start` runs. It contains a password and keys. */
export const sharedSettingsFile = (folder: string): string => join(folder, 'settings.json')

/** Writes the settings of the API and the worker for commands, readable only by our user. */
export function shareSettings(folder: string, environment: Record<string, string>): void {
  const isSetting = settingsAmong(environment)
  const settings = Object.fromEntries(Object.entries(environment).filter(([name]) => isSetting(name)))
  writeFileSync(sharedSettingsFile(folder), JSON.stringify(settings, null, 2), { mode: 0o600 })
}

/** Whether `npm start` runs in the data folder of these settings. */
export const isRunningHere = (settings: Record<string, string>): boolean =>
  existsSync(sharedSettingsFile(resolve(settings['DATA_DIR'] ?? usualFolder)))

/** The settings of this environment and its `.env` file. A running `npm start` provides the others. */
export function settingsOfRunningStart(): Record<string, string> {
  loadEnvFile()
  const own = present()
  const file = sharedSettingsFile(resolve(own['DATA_DIR'] ?? usualFolder))
  if (!existsSync(file)) return own
  const found = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>)
  return { ...Object.fromEntries(found.filter(([name]) => own[`${name}_FILE`] === undefined)), ...own }
}

const namesDatabase = (settings: Record<string, string>): boolean =>
  settings['DATABASE_URL'] !== undefined || settings['DATABASE_URL_FILE'] !== undefined

/** Whether the settings name a database, or `npm start` is running here. */
export const hasDatabase = (): boolean => namesDatabase(settingsOfRunningStart())

/** The settings for a command that needs a database. Throws if there is none. */
export function settingsOfCommand(): Record<string, string> {
  const settings = settingsOfRunningStart()
  if (namesDatabase(settings)) return settings
  throw new Error('DATABASE_URL is not set, and `npm start` is not running here. Start it, or set DATABASE_URL.')
}

/** The reason why a command failed, as a sentence. A refused connection has no message of its own. */
export function failureInWords(error: unknown): string {
  const { message, code } = error as { message: string; code?: string }
  return isUnreachable(error) ? `Cannot reach Postgres at DATABASE_URL (${code ?? message}).` : message
}
