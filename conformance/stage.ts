import type { Client } from './client.ts'
import type { Facts } from './facts.ts'
import type { Once } from './once.ts'
import type { People } from './people.ts'
import type { OwnSites } from './own-sites.ts'

/** What the rows share. Whatever costs requests is made when the first row asks for it. */
export interface Stage {
  client: Client
  people: People
  sites: OwnSites
  /** Rows that need a fact say so in `needs`. */
  facts: Facts
  once: Once
}
