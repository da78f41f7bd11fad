import type { Database } from '../database/database.ts'
import { isSiteAt, keysAt, type SiteAddress } from './site-at.ts'
import { VaultEntry } from './vault-entry.ts'

/** Finds the owner's entries for sites that are written down elsewhere: the id of each, in the order of the sites. */
export const createConnectedAt =
  ({ database }: { database: Database }) =>
  async (ownerId: string, sites: readonly SiteAddress[]): Promise<(string | undefined)[]> => {
    if (sites.length === 0) return []
    const keys = sites.flatMap(({ address }) => keysAt(address))
    const entries = await VaultEntry.query(database)
      .select('id', 'dialect', 'origin')
      .where({ ownerId })
      .whereRaw("split_part(origin, '#', 1) = any(?)", [keys])
      .orderBy('id')
    return sites.map((site) => entries.find((entry) => isSiteAt(entry, site))?.id)
  }
