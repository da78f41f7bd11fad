import assert from 'node:assert/strict'
import type { Database } from '../../src/database/database.ts'
import { setAdmin } from '../../src/users/admins.ts'
import * as adminUsers from '../../api/admin-users.ts'
import { call, type Client } from './client.ts'
import { person, type Person } from './people.ts'
import { userIdOf } from './workspaces.ts'

interface Place {
  url: string
  services: { database: Database }
}

export async function adminOf({ url, services }: Place, email?: string): Promise<Person> {
  const someone = await person({ url }, email)
  assert(await setAdmin(services.database, someone.email, true))
  return someone
}

export async function suspend(place: Place, someone: Client, reason = 'For trying it') {
  // Read first, while the login is still valid.
  const params = { userId: await userIdOf(someone) }
  return call(await adminOf(place), adminUsers.suspendUser, { params, body: { reason } })
}
