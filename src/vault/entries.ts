import { howToGetMore } from '../billing/allowances.ts'
import { raw } from 'objection'
import type { Clock } from '../clock.ts'
import { violatedConstraint, type Database, type Transaction } from '../database/database.ts'
import { assertThat, CodedError, problemAt } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import type { Due } from '../runs/due.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { confirmedTool } from '../sites/confirmed-effects.ts'
import type { Dialect } from '../sites/dialects/dialect.ts'
import { isHeaderToken } from '../sites/header-token.ts'
import type { Sites } from '../sites/sites.ts'
import type { Manifest } from '../sites/manifest.ts'
import type { SiteTool } from '../sites/tool.ts'
import { paidWith } from '../owners/payer.ts'
import { listOf, type Owners } from '../owners/reach.ts'
import { assertMember, isMember } from '../owners/assert-member.ts'
import { lockOwner } from '../users/user.ts'
import type { HostProposals } from '../tools/host-proposals.ts'
import { assertHostsAccepted } from './accepted-hosts.ts'
import { alreadyConnected } from './already-connected.ts'
import { assertChosen } from './choice.ts'
import { clientOfEntry, openCredential, sealCredential, secretsIn, type Credential } from './credential.ts'
import { staleAt } from './manifests/wanted-checks.ts'
import { createKeepGrant, type InsertOptions, type NewFields } from './oauth/keep-grant.ts'
import { isUsable } from './oauth/needed-scopes.ts'
import type { OAuthClient } from './oauth/oauth-client.ts'
import type { OfferedSite } from './site-choices.ts'
import { signInFields, VaultEntry } from './vault-entry.ts'

interface NewEntry {
  url: string
  token: string
  /** Names of tools, at a site that offers a choice. */
  tools?: readonly string[] | undefined
  acceptHosts: readonly string[]
}

type ListedEntry = Pick<VaultEntry, 'manifest' | 'confirmedEffects' | 'scopes'>

/** The entries of the vault: an owner's connections to sites, each with its sealed credential. */
export function createEntries(context: {
  database: Database
  clock: Clock
  logger: Logger
  sealing: Sealing
  sites: Sites
  dialect: Pick<Dialect, 'isPersonal' | 'takesAnyToken'>
  oauthClient: OAuthClient
  due: Due
  proposals: HostProposals
  limitOf: (ownerId: string, trx?: Transaction) => Promise<number>
}) {
  const { database, clock, logger, sealing, sites, dialect, oauthClient, due, proposals, limitOf } = context

  const mine = (ownerId: string) => VaultEntry.query(database).where({ ownerId })

  async function get(owners: Owners, id: string): Promise<VaultEntry> {
    const entry = isId(id)
      ? await VaultEntry.query(database).whereIn('ownerId', listOf(owners)).findById(id)
      : undefined
    assertThat(entry, 'NOT_FOUND', { message: noEntry })
    return entry
  }

  /** The owner's entry for a site's origin. */
  const at = async (ownerId: string, origin: string): Promise<VaultEntry | undefined> =>
    mine(ownerId).findOne({ origin })

  /** Refuses a site that is already connected (TOKEN_EXISTS), or a full vault (VAULT_LIMIT_REACHED). */
  async function assertNew(ownerId: string, origin: string): Promise<void> {
    const existing = await at(ownerId, origin)
    if (existing) throw alreadyConnected(existing)
    await assertRoom(database, ownerId, await limitOf(ownerId))
  }

  async function insert(
    fields: NewFields,
    credential: Credential,
    { id = newId(), check = async () => {} }: InsertOptions = {},
  ): Promise<VaultEntry> {
    const now = clock.now()
    const authType = fields.manifest.auth.type
    const row = {
      id,
      ...fields,
      name: fields.manifest.name,
      authType,
      credential: sealCredential(sealing, { id, authType }, credential),
      manifestFetchedAt: now,
      manifestCheckedAt: now,
      renewedAt: now,
      createdAt: now,
      updatedAt: now,
    }
    try {
      const entry = await database.transaction(async (trx) => {
        await lockOwner(trx, fields.ownerId)
        if (fields.connectedBy) await assertMember(trx, fields.ownerId, fields.connectedBy, 'build')
        // An earlier attempt committed, but its confirmation was lost.
        const stored = await VaultEntry.query(trx).findById(id)
        if (stored) return stored
        await check(trx)
        await assertRoom(trx, fields.ownerId, await limitOf(fields.ownerId, trx))
        return VaultEntry.query(trx).insertAndFetch(row)
      })
      await noteProposal(entry)
      return entry
    } catch (error) {
      if (violatedConstraint(error) === 'vault_entries_owner_origin') throw new CodedError('TOKEN_EXISTS')
      throw error
    }
  }

  /** A failed proposal of host limits must not fail the connection. */
  const noteProposal = ({ id, origin, manifest }: VaultEntry): Promise<void> =>
    proposals(origin, manifest).catch((error: unknown) =>
      logger.warn({ err: error, entryId: id }, "failed to record a site's proposed limit"),
    )

  /**
   * Replaces the credential in any state, perhaps with one of another kind of sign-in. Waiting runs resume with the new
   * one. A list that depends on it is to be read again.
   */
  function renew(
    { id, ownerId, by }: { id: string; ownerId: string; by: string | null },
    auth: Manifest['auth'],
    credential: Credential,
    fields: Partial<VaultEntry>,
    check: (entry: VaultEntry, trx: Transaction) => Promise<void>,
  ): Promise<VaultEntry> {
    return database.transaction(async (trx) => {
      await lockOwner(trx, ownerId)
      const mayStill = by === null || (await isMember(trx, ownerId, by, 'build'))
      const entry = await VaultEntry.query(trx).findById(id).forUpdate()
      // The entry may have been moved, or the member removed, since the permission was checked.
      assertThat(mayStill && entry?.ownerId === ownerId, 'NOT_FOUND', { message: noEntry })
      await check(entry, trx)
      const now = clock.now()
      await due.vaultEntry(trx, id)
      return entry.$query(trx).patchAndFetch({
        ...fields,
        ...(auth.type !== entry.authType && signInFields(entry, auth, now)),
        credential: sealCredential(sealing, { id, authType: auth.type }, credential),
        generation: entry.generation + 1,
        connectedBy: by,
        status: 'connected',
        statusReason: null,
        acceptedAt: null,
        ...(dialect.isPersonal(entry.dialect) && { manifestWantedAt: now }),
        renewedAt: now,
        updatedAt: now,
      })
    })
  }

  const tokensIn = (entry: Pick<VaultEntry, 'id' | 'authType' | 'credential'>): string[] =>
    secretsIn(openCredential(sealing, entry))

  function assertSendable(name: VaultEntry['dialect'], auth: Manifest['auth'], token: string): void {
    const isSendable = token === '' || isHeaderToken(token) || dialect.takesAnyToken(name, auth)
    assertThat(isSendable, 'VALIDATION_ERROR', problemAt('token', 'must be visible ASCII characters without spaces'))
  }

  /** Revokes an unneeded grant, if the site supports it. Never fails. */
  async function revoke(entry: VaultEntry): Promise<void> {
    const { auth } = entry.manifest
    if (entry.authType !== 'oauth2' || auth.type !== 'oauth2') return
    try {
      const { refreshToken, accessToken } = openCredential(sealing, entry)
      await oauthClient.revoke(clientOfEntry(sealing, entry), refreshToken ?? accessToken)
    } catch (error) {
      logger.warn({ err: error, entryId: entry.id }, 'failed to revoke a grant at its site')
    }
  }

  const toolsOf = (entry: ListedEntry): (SiteTool & { usable: boolean })[] =>
    entry.manifest.tools
      .map((tool) => confirmedTool(tool, entry.confirmedEffects))
      .map((tool) => ({ ...tool, usable: isUsable(tool, entry.scopes) }))

  function offered(entry: VaultEntry): OfferedSite {
    const { auth } = entry.manifest
    return {
      id: entry.id,
      name: entry.name,
      offers: auth.type === 'oauth2' ? auth.scopes : null,
      tools: toolsOf(entry),
    }
  }

  return {
    get,
    at,
    assertNew,
    revoke,

    /**
     * Connects a site, with an empty token if it needs none. Fails with VAULT_LIMIT_REACHED, TOKEN_EXISTS,
     * VALIDATION_ERROR (no usable choice of tools, hosts not accepted, a missing token, or the site uses OAuth), and as `Sites.discover` does.
     */
    async add(ownerId: string, { url, token, tools, acceptHosts }: NewEntry, connectedBy: string | null = null) {
      await assertRoom(database, ownerId, await limitOf(ownerId))
      const site = await sites.discover(url, ownerId, { token, chosen: tools })
      const { origin, manifest, foreignHosts, staleAfterSeconds } = site
      await assertNew(ownerId, origin)
      assertChosen(site, tools)
      assertPasted(manifest.auth.type, 'url', 'This site uses OAuth 2.0. Use POST /vault/oauth/start.')
      assertSendable(site.dialect, manifest.auth, token)
      const isTokenMissing = manifest.auth.type === 'bearer' && token === ''
      assertThat(!isTokenMissing, 'VALIDATION_ERROR', { message: tokenMissing, details: [tokenIsMissing] })
      assertHostsAccepted(foreignHosts, acceptHosts)
      const manifestStaleAt = staleAt(clock.now(), staleAfterSeconds)
      return insert(
        { ownerId, connectedBy, dialect: site.dialect, origin, manifest, manifestStaleAt },
        { accessToken: token },
      )
    },

    /** As `createKeepGrant` says. */
    keep: createKeepGrant({ clock, sealing, insert, renew }),

    /** Selects only the first members of each manifest: a hundred manifests may be many megabytes. */
    list: (ownerId: string, request: PageRequest): Promise<Page<VaultEntry>> =>
      // An entry takes the id of its flow, so ids may be older than entries.
      page(mine(ownerId).select(...listedFields, raw(shortManifest)), {
        list: 'vault',
        time: 'createdAt',
        rangeOf: () => ({}),
        ...request,
      }),

    /** Replaces or adds the token. VALIDATION_ERROR for an entry that is authorized by OAuth. */
    async replaceToken(entry: VaultEntry, token: string, by: string | null = null): Promise<VaultEntry> {
      const message = 'This site uses OAuth 2.0. Authorize it again with POST /vault/oauth/start and this "entryId".'
      assertSendable(entry.dialect, entry.manifest.auth, token)
      const isPasted = async ({ authType }: VaultEntry) => assertPasted(authType, 'token', message)
      return renew(
        { id: entry.id, ownerId: entry.ownerId, by },
        { type: 'bearer' },
        { accessToken: token },
        {},
        isPasted,
      )
    },

    /** Changes whether the site learns which span a call belongs to, if that is asked. */
    async tellSpans(entry: VaultEntry, traceContext: boolean | undefined): Promise<VaultEntry> {
      if (traceContext === undefined || traceContext === entry.traceContext) return entry
      const changed = { traceContext, updatedAt: clock.now() }
      await VaultEntry.query(database).findOne({ id: entry.id, ownerId: entry.ownerId }).patch(changed)
      return Object.assign(entry, changed)
    },

    /** The site's tools with the effects that count, and whether the granted scopes allow calling them. */
    toolsOf,

    offered,

    /** The tokens of the owner's entries among the ids, in plain text. */
    async tokensOf(ownerId: string, ids: readonly string[]): Promise<string[]> {
      const entries = await mine(ownerId)
        .findByIds([...ids])
        .select('id', 'authType', 'credential')
      return entries.flatMap(tokensIn)
    },

    tokensIn,

    async known(ownerId: string, ids: readonly string[]): Promise<VaultEntry[]> {
      return mine(ownerId).findByIds(ids.filter(isId))
    },
  }
}

const listedFields =
  `id ownerId dialect origin name authType status statusReason scopes foreignScopes scopeNote credential expiresAt refreshAfter renewedAt lastUsedAt acceptedAt traceContext connectedBy createdAt updatedAt`.split(
    ' ',
  )

const shortManifest = `
  (select json_build_object('version', version, 'description', description,
                            'server', json_build_object('url', server->'url'), 'left_out', left_out)
     from json_to_record(manifest) as m (version text, description text, server json, left_out json)) as manifest`

const noEntry = 'There is no vault entry with this id.'
const tokenMissing = 'This site needs a token. Create one at the site.'
const tokenIsMissing = { path: 'token', message: tokenMissing }

async function assertRoom(database: Database | Transaction, ownerId: string, limit: number): Promise<void> {
  const count = await VaultEntry.query(database).whereIn('ownerId', paidWith(ownerId)).resultSize()
  const message = `The paying account already has ${count} sites, and its limit is ${limit}. ${howToGetMore}`
  assertThat(count < limit, 'VAULT_LIMIT_REACHED', { message })
}

function assertPasted(authType: VaultEntry['authType'], path: string, message: string): void {
  assertThat(authType !== 'oauth2', 'VALIDATION_ERROR', problemAt(path, message))
}
