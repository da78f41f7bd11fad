import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { databaseClock } from '../../src/clock.ts'
import type { Database } from '../../src/database/database.ts'
import { makeAdmin } from '../../src/users/admins.ts'
import { owaspCost } from '../../src/users/passwords.ts'
import { firstAdminEmail } from '../first-admin-link.ts'

/** The file with the body of `POST /auth/login`. Only our user may read it. */
export const firstAdminFile = (folder: string): string => join(folder, 'admin.json')

/**
 * Makes an admin once in the life of a data folder; a deleted admin does not come back. The file is renamed last, so
 * that a start after an interruption uses the same password.
 */
export async function makeFirstAdmin(folder: string, database: Database): Promise<void> {
  const file = firstAdminFile(folder)
  if (existsSync(file)) return
  const unfinished = `${file}.new`
  if (!existsSync(unfinished)) {
    const credentials = { email: firstAdminEmail, password: randomBytes(18).toString('base64url') }
    writeFileSync(unfinished, JSON.stringify(credentials, null, 2), { mode: 0o600 })
  }
  const credentials = JSON.parse(readFileSync(unfinished, 'utf8')) as { email: string; password: string }
  await makeAdmin({ database, clock: databaseClock, passwordCost: owaspCost }, credentials)
  renameSync(unfinished, file)
}
