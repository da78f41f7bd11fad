import type { Client } from './client.ts'
import type { Facts } from './facts.ts'
import type { People } from './people.ts'
import type { OwnSites } from './own-sites.ts'

/** What the rows share. Whatever costs requests is made when the first row asks for it. */
export interface Stage {
  client: Client
  people: People
  sites: OwnSites
  /** Rows that need a fact say so in `needs`. */
  facts: Facts
  /** Makes it once, under this name, for all rows that ask. */
  once: <T>(name: string, make: () => Promise<T>) => Promise<T>
}

/** Remembers what was made under a name, also while it is being made. */
export function createOnce(): Stage['once'] {
  const made = new Map<string, Promise<unknown>>()
  return <T>(name: string, make: () => Promise<T>) => {
    const known = made.get(name)
    if (known) return known as Promise<T>
    const making = make()
    made.set(name, making)
    return making
  }
}
