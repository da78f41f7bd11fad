import type { Client } from './client.ts'
import type { Facts } from './facts.ts'
import type { Once } from './once.ts'
import type { People } from './people.ts'
import type { OwnSites } from './own-sites.ts'

/** State shared by the rows. Anything that costs requests is created for the first row that needs it. */
export interface Stage {
  client: Client
  people: People
  sites: OwnSites
  /** Rows that need a fact name it in `needs`. */
  facts: Facts
  once: Once
}
