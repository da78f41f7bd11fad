import assert from 'node:assert/strict'
import type { Database } from '../../src/database/database.ts'
import { setAdmin } from '../../src/users/admins.ts'
import { person, type Person } from './people.ts'

interface Place {
  url: string
  services: { database: Database }
}

/** Somebody who operates the platform. */
export async function adminOf({ url, services }: Place, email?: string): Promise<Person> {
  const someone = await person({ url }, email)
  assert(await setAdmin(services.database, someone.email, true))
  return someone
}
