import type { Config } from '../config/config.ts'
import { readCursor, writeCursor } from '../database/cursor.ts'
import type { Page } from '../database/page.ts'
import type { SiteAddress } from '../vault/site-at.ts'
import type { CatalogueEntry } from './catalogue-format.ts'
import { readCatalogue } from './read-catalogue.ts'

/** An entry, and the vault entry of an owner who has connected the site. */
export type KnownSite = CatalogueEntry & { vaultEntryId: string | null }

interface Asked {
  /** Every word must occur in an entry. */
  search?: string | undefined
  cursor?: string | undefined
  limit: number
}

/**
 * The catalogue: the sites that the operator suggests (docs/operate/catalogue.md). Nothing is fetched to show it, and
 * the vault inspects and connects a site from it like any other.
 */
export function createCatalogue(context: {
  config: Pick<Config, 'catalogueFolders'>
  vault: { connectedAt: (ownerId: string, sites: readonly SiteAddress[]) => Promise<(string | undefined)[]> }
}) {
  const entries = readCatalogue(context.config.catalogueFolders)
  const texts = new Map(entries.map((entry) => [entry, textOf(entry)]))

  async function asKnown(ownerId: string, sites: readonly CatalogueEntry[]): Promise<KnownSite[]> {
    const connected = await context.vault.connectedAt(ownerId, sites)
    return sites.map((entry, index) => ({ ...entry, vaultEntryId: connected[index] ?? null }))
  }

  return {
    /** The sites with these ids, as far as they exist, by id. */
    async known(ownerId: string, ids: readonly string[]): Promise<Map<string, KnownSite>> {
      const sites = entries.filter(({ id }) => ids.includes(id))
      return new Map((await asKnown(ownerId, sites)).map((site) => [site.id, site]))
    },

    /** One page, in the order of ids. VALIDATION_ERROR for a cursor of another list. */
    async list(ownerId: string, { search = '', cursor, limit }: Asked): Promise<Page<Omit<KnownSite, 'token'>>> {
      const after = cursor === undefined ? '' : readCursor('catalogue', (id) => id, cursor)
      const words = wordsOf(search)
      const found = entries.filter(
        (entry) => entry.id > after && words.every((word) => texts.get(entry)?.includes(word)),
      )
      const shown = found.slice(0, limit)
      const last = shown.at(-1)
      return {
        items: (await asKnown(ownerId, shown)).map(withoutToken),
        nextCursor: last && found.length > limit ? writeCursor('catalogue', last.id) : null,
      }
    },
  }
}

export type Catalogue = ReturnType<typeof createCatalogue>

function withoutToken(site: KnownSite): Omit<KnownSite, 'token'> {
  const { token: _token, ...shown } = site
  return shown
}

const wordsOf = (search: string): string[] => search.toLowerCase().split(/\s+/).filter(Boolean)

const textOf = ({ id, name, address, notes, tags }: CatalogueEntry): string =>
  [id, name, address, notes, ...tags].join('\n').toLowerCase()
