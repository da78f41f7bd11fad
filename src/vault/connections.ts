import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { regardless } from '../database/while-permitted.ts'
import type { Sealing } from '../secrets/sealing.ts'
import type { DialectName } from '../sites/dialects/dialect-name.ts'
import { scopesInWords, scopeWords } from '../sites/scope-words.ts'
import type { ManifestTool, SiteTool } from '../sites/tool.ts'
import { openCredential } from './credential.ts'
import { notGranted } from './oauth/needed-scopes.ts'
import type { MarkNeedsReauth } from './reauthorization.ts'
import type { Refresh, Renewal } from './refresh/refresh.ts'
import { VaultEntry } from './vault-entry.ts'

export interface Connection {
  entryId: string
  dialect: DialectName
  serverUrl: string
  /** Names of the callable tools: the site offers them, and the scopes they need were granted. */
  tools: string[]
  /** The tools of the pinned manifest. */
  pinnedTools: readonly ManifestTool[]
  /** The tools whose scopes were not granted, each with the sentence that explains it. */
  notGranted: Record<string, string>
  token: string
  /** How the token is sent, for the adapter alone. */
  credential?: unknown
  generation: number
  /** Whether the site is told which span a call belongs to. */
  traceContext: boolean
  /** Whether the site has accepted this credential before. */
  isAccepted: boolean
}

/** Whether a site can be called. `dead` lasts until the owner reconnects it; `unavailable` is temporary. */
export type ConnectionState =
  | { kind: 'ready'; connection: Connection; refreshed: boolean }
  | { kind: 'dead'; message: string }
  /** `retryAt`: when the site accepts another token request. */
  | { kind: 'unavailable'; message: string; retryAt: Date | null }
  | { kind: 'gone' }
  /** The connection exceeds the limit of the tier. */
  | { kind: 'resting' }

const usedPrecisionMs = 60 * 60 * 1000

/**
 * Opens connections for tool calls: checks the credential, refreshes it when it is about to expire, and replaces it
 * after a 401.
 */
export function createConnections(context: {
  database: Database
  clock: Clock
  sealing: Sealing
  refresh: Refresh
  markNeedsReauth: MarkNeedsReauth
  toolsOf: (entry: VaultEntry) => (Pick<SiteTool, 'name' | 'scope'> & { usable: boolean })[]
}) {
  const { database, clock, sealing, refresh, markNeedsReauth, toolsOf } = context

  const find = (ownerId: string, id: string) => VaultEntry.query(database).findOne({ ownerId, id })

  function ready(entry: VaultEntry, refreshed: boolean): ConnectionState {
    const { accessToken: token } = openCredential(sealing, entry)
    const { id: entryId, dialect, generation, manifest, acceptedAt, traceContext } = entry
    const all = toolsOf(entry)
    const tools = all.filter(({ usable }) => usable).map(({ name }) => name)
    const others = all.filter(({ usable }) => !usable).map((tool) => [tool.name, notGranted(tool, entry.scopeNote)])
    return {
      kind: 'ready',
      connection: {
        entryId,
        dialect,
        serverUrl: manifest.server.url,
        tools,
        pinnedTools: manifest.tools,
        notGranted: Object.fromEntries(others) as Record<string, string>,
        token,
        ...('credential' in manifest.auth && { credential: manifest.auth.credential }),
        generation,
        traceContext,
        isAccepted: acceptedAt !== null,
      },
      refreshed,
    }
  }

  async function noteUse(entry: VaultEntry): Promise<void> {
    const now = clock.now()
    if (entry.lastUsedAt && now.getTime() - entry.lastUsedAt.getTime() < usedPrecisionMs) return
    await VaultEntry.query(database).findById(entry.id).patch({ lastUsedAt: now })
  }

  /** The state after a renewal. `usable`: the entry's current token still works. */
  function after(renewal: Renewal, entry: VaultEntry, usable: boolean): ConnectionState {
    if (renewal.kind === 'renewed') {
      return renewal.entry.status === 'connected' ? ready(renewal.entry, true) : dead(renewal.entry)
    }
    if (renewal.kind === 'gone') return renewal
    if (renewal.kind === 'dead') return dead(renewal.entry)
    if (usable) return ready(entry, false)
    if (renewal.kind === 'unavailable') return unavailable(renewal.message, renewal.retryAt)
    return unavailable("The site's tokens cannot be refreshed right now.", null)
  }

  async function current(entry: VaultEntry): Promise<ConnectionState> {
    if (entry.status === 'needs_reauth') return dead(entry)
    const now = clock.now()
    if (!entry.refreshAfter || entry.refreshAfter > now) return ready(entry, false)
    const usable = entry.expiresAt !== null && entry.expiresAt > now
    return after(await refresh.renew(entry.id, entry.generation, 'expiry'), entry, usable)
  }

  async function open(ownerId: string, entryId: string): Promise<ConnectionState> {
    const entry = await find(ownerId, entryId)
    if (!entry) return { kind: 'gone' }
    if (entry.exceedingSince) return { kind: 'resting' }
    if (entry.status === 'connected') await noteUse(entry)
    return current(entry)
  }

  /** Only the owner can replace a pasted token. */
  const markDead = (entry: VaultEntry, reason: string): Promise<ConnectionState> =>
    regardless(() =>
      database.transaction(async (trx) => {
        const current = await VaultEntry.query(trx).findById(entry.id).forUpdate()
        if (!current) return { kind: 'gone' }
        if (current.generation !== entry.generation) return ready(current, false)
        if (current.status === 'connected') await markNeedsReauth(trx, current, reason)
        return dead({ statusReason: current.statusReason ?? reason })
      }),
    )

  return {
    /** Opens the connection for a call. Never throws because of the site. */
    open,

    /** The connection of an entry that is opened for something else than a call. */
    current,

    async accepted({ entryId, generation, isAccepted }: Connection): Promise<void> {
      if (isAccepted) return
      const acceptedAt = clock.now()
      await VaultEntry.query(database).where({ id: entryId, generation }).whereNull('acceptedAt').patch({ acceptedAt })
    },

    /**
     * Notes the scopes that a foreign site named when it refused a call. They are requested when its owner authorizes the
     * site again, and never without the owner.
     */
    async wanted({ entryId, generation }: Connection, scopes: readonly string[]): Promise<void> {
      await database.transaction(async (trx) => {
        const entry = await VaultEntry.query(trx).findOne({ id: entryId, generation }).forUpdate()
        if (!entry?.foreignScopes) return
        const { granted, asked: before } = entry.foreignScopes
        const [asked, scopeNote] = [scopeWords(...before, ...scopes), wantedNote(scopes, granted)]
        if (asked.length === before.length && scopeNote === entry.scopeNote) return
        await entry.$query(trx).patch({ foreignScopes: { granted, asked }, scopeNote })
      })
    },

    /**
     * Handles a 401 for the credential of this generation: gets a newer one, or records that none exists. `again`: a
     * newly issued token was refused too, so another refresh would not help.
     */
    async refused(ownerId: string, connection: Connection, again: boolean): Promise<ConnectionState> {
      const entry = await find(ownerId, connection.entryId)
      if (!entry) return { kind: 'gone' }
      if (entry.generation !== connection.generation) return open(ownerId, entry.id)
      if (entry.authType === 'none') return markDead(entry, 'The site now requires sign-in.')
      if (entry.authType === 'bearer') return markDead(entry, 'The site rejected the token.')
      if (again) return markDead(entry, 'The site rejected tokens that it had just issued.')
      return after(await refresh.renew(entry.id, entry.generation, 'unauthorized'), entry, false)
    },
  }
}

const unavailable = (why: string, retryAt: Date | null): ConnectionState => ({
  kind: 'unavailable',
  message: `The site cannot be called now. ${why}`,
  retryAt,
})

const dead = ({ statusReason }: Pick<VaultEntry, 'statusReason'>): ConnectionState => ({
  kind: 'dead',
  message: `The owner must reconnect the site. ${statusReason ?? ''}`.trim(),
})

/** A site that asks for what it granted would ask again. */
function wantedNote(scopes: readonly string[], granted: readonly string[]): string {
  const missing = scopes.filter((scope) => !granted.includes(scope))
  const named = scopesInWords(missing.length > 0 ? missing : scopes)
  return missing.length > 0
    ? `The site refused a call because it needs ${named}. Authorize the site again to request it.`
    : `The site refused a call because it needs ${named}, granted before. Authorizing it again may not help.`
}
