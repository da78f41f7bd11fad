import type { Clock } from '../clock.ts'
import { violatedConstraint, type Database, type Transaction } from '../database.ts'
import { assertThat, CodedError } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import { readCursor, toPage, type Page, type PageRequest } from '../paging.ts'
import type { Sealing } from '../sealing.ts'
import type { DiscoveredSite, Sites } from '../sites/sites.ts'
import type { SiteTool } from '../sites/tool.ts'
import { VaultEntry } from './vault-entry.ts'

/** A site to be connected with a bearer token that its user made there. */
export interface NewEntry {
  url: string
  token: string
  /** Hosts outside the site's own domain that the caller has seen and lets the credential go to. */
  acceptHosts: readonly string[]
}

/** What is needed to call a tool of a connected site. */
export interface Connection {
  serverUrl: string
  token: string
}

const sealedAt = (id: string) => ({ id, column: 'vault_entries.credential' })

/**
 * The vault: an owner's connections to sites (decisions, "Vault and sites"). Tokens are sealed with authenticated
 * encryption and never leave except to the site they belong to.
 */
export function createVault(context: { database: Database; clock: Clock; sealing: Sealing; sites: Sites }) {
  const { database, clock, sealing, sites } = context

  const mine = (ownerId: string) => VaultEntry.query(database).where({ ownerId })

  async function get(ownerId: string, id: string): Promise<VaultEntry> {
    const entry = isId(id) ? await mine(ownerId).findById(id) : undefined
    assertThat(entry, 'NOT_FOUND', { message: 'There is no vault entry with this identifier.' })
    return entry
  }

  /** Counts under a lock on the owner's row, so that requests at the same instant cannot exceed the limit together. */
  async function insert(ownerId: string, site: DiscoveredSite, token: string, limit: number): Promise<VaultEntry> {
    const id = newId()
    const now = clock.now()
    return database.transaction(async (trx) => {
      await trx.raw('select id from users where id = ? for no key update', [ownerId])
      await assertRoom(trx, ownerId, limit)
      return VaultEntry.query(trx).insertAndFetch({
        id,
        ownerId,
        origin: site.origin,
        name: site.manifest.name,
        manifest: site.manifest,
        manifestFetchedAt: now,
        manifestCheckedAt: now,
        renewedAt: now,
        authType: site.manifest.auth.type,
        credential: sealing.seal(token, sealedAt(id)),
        createdAt: now,
        updatedAt: now,
      })
    })
  }

  return {
    get,

    /** What a site publishes, before it is connected. Fails as `Sites.discover` does. */
    inspect: (url: string): Promise<DiscoveredSite> => sites.discover(url),

    /**
     * Connects a site. Fails with VAULT_LIMIT_REACHED, TOKEN_EXISTS, VALIDATION_ERROR (hosts that were not accepted; a
     * site that wants OAuth), and as `Sites.discover` does.
     */
    async add(ownerId: string, { url, token, acceptHosts }: NewEntry, limit: number): Promise<VaultEntry> {
      await assertRoom(database, ownerId, limit)
      const site = await sites.discover(url)
      const existing = await mine(ownerId).findOne({ origin: site.origin })
      assertThat(!existing, 'TOKEN_EXISTS')
      assertBearer(site)
      assertHostsAccepted(site, acceptHosts)
      try {
        return await insert(ownerId, site, token, limit)
      } catch (error) {
        if (violatedConstraint(error) === 'vault_entries_owner_origin') throw new CodedError('TOKEN_EXISTS')
        throw error
      }
    },

    async list(ownerId: string, page: PageRequest): Promise<Page<VaultEntry>> {
      const before = readCursor(page.cursor)
      const query = mine(ownerId)
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
      if (before) void query.where('id', '<', before)
      return toPage(await query, page.limit, ({ id }) => id)
    },

    /** Puts a new token in the place of the old one. */
    async replaceToken(entry: VaultEntry, token: string): Promise<VaultEntry> {
      const credential = sealing.seal(token, sealedAt(entry.id))
      await VaultEntry.query(database).findById(entry.id).patch({ credential, updatedAt: clock.now() })
      // It may have been removed meanwhile.
      return get(entry.ownerId, entry.id)
    },

    /** Forgets the connection and its token. Agents that used the site lose its tools. */
    async remove(entry: VaultEntry): Promise<void> {
      await VaultEntry.query(database).deleteById(entry.id)
    },

    toolsOf: (entry: VaultEntry): SiteTool[] => sites.toolsOf(entry.manifest),

    /** Where and with what to call the site's tools; undefined when the connection is gone. */
    async connection(ownerId: string, entryId: string): Promise<Connection | undefined> {
      const entry = await mine(ownerId).findById(entryId)
      if (!entry) return undefined
      return { serverUrl: entry.manifest.server.url, token: sealing.open(entry.credential, sealedAt(entry.id)) }
    },

    /** Which of the ids are entries of this owner. */
    async known(ownerId: string, ids: readonly string[]): Promise<VaultEntry[]> {
      return mine(ownerId).findByIds(ids.filter(isId))
    },
  }
}

export type Vault = ReturnType<typeof createVault>

async function assertRoom(database: Database | Transaction, ownerId: string, limit: number): Promise<void> {
  const count = await VaultEntry.query(database).where({ ownerId }).resultSize()
  const message = `The vault holds ${count} sites, as many as your tier allows.`
  assertThat(count < limit, 'VAULT_LIMIT_REACHED', { message })
}

function assertBearer({ manifest }: DiscoveredSite): void {
  const message = 'This site connects by OAuth 2.0, which this version does not offer yet; a pasted token will not do.'
  assertThat(manifest.auth.type === 'bearer', 'VALIDATION_ERROR', { message, details: [{ path: 'url', message }] })
}

function assertHostsAccepted({ foreignHosts }: DiscoveredSite, accepted: readonly string[]): void {
  const missing = foreignHosts.filter((host) => !accepted.includes(host))
  const details = missing.map((host) => ({ path: 'acceptHosts', message: `The token would be sent to ${host}.` }))
  const message = `The manifest sends the token to hosts outside the site: ${missing.join(', ')}. If you trust them, list them in "acceptHosts".`
  assertThat(missing.length === 0, 'VALIDATION_ERROR', { message, details })
}
