import type { Database, Transaction } from '../database/database.ts'
import { assertGranted, assertSites, type SiteChoice } from '../vault/site-choices.ts'
import { lockNamed, type VaultEntry } from '../vault/vault-entry.ts'
import { usableTools, type UsableTool } from '../vault/usable-tools.ts'
import type { Vault } from '../vault/vault.ts'
import { requiresApproval } from './requires-approval.ts'
import { SessionSite, type Session } from './session.ts'

interface Offer {
  tools: UsableTool[]
  /** The tokens of its sites, in plain text. */
  tokens: string[]
}

export function createSessionSites(context: { database: Database; vault: Vault }) {
  const { database, vault } = context

  const named = (ownerId: string, sites: readonly Pick<SiteChoice, 'vaultEntryId'>[]): Promise<VaultEntry[]> =>
    vault.known(
      ownerId,
      sites.map(({ vaultEntryId }) => vaultEntryId),
    )

  async function read(session: Pick<Session, 'id' | 'ownerId'>) {
    const choices = await SessionSite.query(database).where({ sessionId: session.id }).orderBy('position')
    const entries = choices.length > 0 ? await named(session.ownerId, choices) : []
    const tools = choices.flatMap((choice) => {
      const entry = entries.find(({ id }) => id === choice.vaultEntryId)
      return entry ? usableTools(vault, entry, choice.tools, (tool) => requiresApproval(tool, choice.askFirst)) : []
    })
    return { choices, entries, tools }
  }

  /**
   * The tools that the session may use now (their scopes are granted), in the order of its sites and their manifests,
   * and the secret tokens of its sites. A site that was removed from the vault has none.
   */
  async function offerOf(session: Pick<Session, 'id' | 'ownerId'>): Promise<Offer> {
    const { entries, tools } = await read(session)
    await vault.wantStale(entries)
    return { tools, tokens: entries.flatMap(vault.tokensIn) }
  }

  return {
    read,

    offerOf,

    /**
     * Refuses unknown and duplicate sites and unknown tools (VALIDATION_ERROR), and named tools without a granted scope
     * (PERMISSION_DENIED).
     */
    async assertChoices(ownerId: string, sites: readonly SiteChoice[]): Promise<void> {
      const known = (await named(ownerId, sites)).map(vault.offered)
      assertSites(known, sites)
      assertGranted(known, sites)
    },

    /**
     * Stores the sites of a new session. Returns the size of their tool lists in bytes. VALIDATION_ERROR if one was
     * removed from the vault in the meantime.
     */
    async store(
      trx: Transaction,
      { id: sessionId, ownerId }: Pick<Session, 'id' | 'ownerId'>,
      sites: readonly SiteChoice[],
    ): Promise<number> {
      if (sites.length === 0) return 0
      await lockNamed(trx, { ownerId, by: 'session' }, sites)
      const rows = sites.map(({ vaultEntryId, tools, askFirst }, position) => ({
        sessionId,
        vaultEntryId,
        position,
        tools: tools ? [...tools] : null,
        askFirst: askFirst ? [...askFirst] : null,
      }))
      await SessionSite.query(trx).insert(rows)
      return Buffer.byteLength(JSON.stringify(rows))
    },
  }
}
