import type { Client } from './client.ts'
import { person, type Person } from './people.ts'
import type { Platform } from './platform.ts'

/** Somebody who operates the platform. */
export async function adminOf(platform: Platform & Client, email = 'admin@example.com'): Promise<Person> {
  return person(platform, email)
}
