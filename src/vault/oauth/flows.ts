import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { assertThat, problemAt } from '../../errors.ts'
import { listOf, type Owners } from '../../owners/reach.ts'
import { isId, newId } from '../../ids.ts'
import { bindBrowser, type BrowserBinding } from '../../secrets/browser-binding.ts'
import { hashToken, isToken, newToken } from '../../secrets/opaque-tokens.ts'
import type { Sealing } from '../../secrets/sealing.ts'
import { clientOfEntry, type ClientOfSite } from '../credential.ts'
import { assertHostsAccepted } from '../accepted-hosts.ts'
import { assertChosen } from '../choice.ts'
import type { Dialect } from '../../sites/dialects/dialect.ts'
import type { Sites } from '../../sites/sites.ts'
import type { Manifest, OAuthSite } from '../../sites/manifest.ts'
import { scopeWords } from '../../sites/scope-words.ts'
import { describeTool, type Scope } from '../../sites/tool.ts'
import { ownerName } from '../../owners/owner-name.ts'
import type { Clients, PastedClient } from './clients.ts'
import type { OAuthClient } from './oauth-client.ts'
import { sealClientSecret } from '../credential.ts'
import { clientOfFlow, clientSecretPlace, OAuthFlow, verifierPlace, withoutSecrets } from './oauth-flow.ts'
import { neededScopes } from './needed-scopes.ts'
import { lockOwner } from '../../users/user.ts'
import type { VaultEntry } from '../vault-entry.ts'

/** What an owner wants to connect: a new site, or an existing entry. */
interface FlowRequest {
  ownerId: string
  userId: string
  target: { url: string } | { entry: VaultEntry }
  /** Names of the tools to make usable; all of the site's if absent. */
  tools?: readonly string[] | undefined
  acceptHosts: readonly string[]
  client?: PastedClient | undefined
  returnTo?: string | undefined
}

interface StartedFlow {
  id: string
  /** The platform's address for the owner's browser to open. */
  connectUrl: string
  expiresAt: Date
  scopes: string[]
  /** Chosen tools whose scope the site does not offer. */
  unusableTools: string[]
}

/** A flow opened in a browser, with the secrets that bind it to that browser. */
interface OpenedFlow extends BrowserBinding {
  flow: OAuthFlow
}

/** The facts shown to a user who may not have started the flow. Owner and requester are in the platform's words. */
export interface FlowPreview {
  owner: string
  asker: string
  isOwn: boolean
  site: string
  origin: string
  scopes: Scope[]
  foreignScopes: string[] | null
}

const lifetimeMs = 10 * 60_000

/** Attempts kept per user and owner, newest first. Each holds a manifest. */
const mostKept = 50

/**
 * The first half of connecting a site by OAuth: picks the scopes and sends the browser to the site. The second
 * half is its return.
 */
export function createFlows(context: {
  database: Database
  clock: Clock
  config: Config
  sealing: Sealing
  sites: Sites
  dialect: Pick<Dialect, 'isPersonal'>
  oauthClient: OAuthClient
  clients: Clients
  assertNew: (ownerId: string, origin: string) => Promise<void>
}) {
  const { database, clock, config, sealing, sites, dialect, oauthClient, clients, assertNew } = context

  /** The entry's pinned manifest. Of an entry without a grant, the site is asked how users sign in now. */
  async function withSignIn(entry: VaultEntry, party: string, acceptHosts: readonly string[]): Promise<Manifest> {
    const { manifest, dialect: name } = entry
    if (manifest.auth.type === 'oauth2' || !dialect.isPersonal(name)) return manifest
    const site = await sites.discover(entry.origin, party, { dialect: name, wantsSignIn: true })
    assertHostsAccepted(site.foreignHosts, acceptHosts)
    return { ...manifest, auth: site.manifest.auth }
  }

  /** The manifest to authorize with: the site's current one, or the entry's pinned one. */
  async function targetOf({ ownerId, target, tools, acceptHosts }: FlowRequest) {
    if ('entry' in target) {
      const { entry } = target
      const manifest = await withSignIn(entry, ownerId, acceptHosts)
      assertOAuth(manifest, 'entryId', 'PATCH /vault/{id}')
      return { dialect: entry.dialect, origin: entry.origin, manifest, entry }
    }
    const site = await sites.discover(target.url, ownerId, { wantsSignIn: true, chosen: tools })
    assertOAuth(site.manifest, 'url', 'POST /vault')
    await assertNew(ownerId, site.origin)
    // At other sites, these are the tools to request scopes for.
    if (site.offered) assertChosen(site, tools)
    assertHostsAccepted(site.foreignHosts, acceptHosts)
    return { dialect: site.dialect, origin: site.origin, manifest: site.manifest, entry: undefined }
  }

  /** The scopes to request. Foreign ones are a union, so that nothing granted before is lost. */
  function scopesFor(
    site: Pick<ClientOfSite, 'dialect' | 'auth'>,
    manifest: Manifest,
    entry: VaultEntry | undefined,
    chosen: readonly string[] | undefined,
  ) {
    const { foreign } = oauthClient.accessTo(site)
    if (!foreign) {
      const asked = { chosen, granted: entry?.scopes ?? [] }
      return { ...neededScopes(manifest.tools.map(describeTool), site.auth.scopes, asked), foreignScopes: null }
    }
    const { granted, asked } = entry?.foreignScopes ?? { granted: [], asked: [] }
    return { scopes: [], foreignScopes: scopeWords(...granted, ...asked, ...foreign.scopes), unusableTools: [] }
  }

  async function find(ticket: string): Promise<OAuthFlow> {
    const flow = isToken('ticket', ticket)
      ? await OAuthFlow.query(database).findOne({ ticketHash: hashToken(ticket) })
      : undefined
    assertThat(flow, 'NOT_FOUND', { message: 'This connection attempt does not exist. Start again.' })
    return flow
  }

  return {
    /**
     * Starts to connect a site, or to authorize an entry again with more tools. Fails as `Sites.discover` does, and
     * with TOKEN_EXISTS, VAULT_LIMIT_REACHED and VALIDATION_ERROR (a site without OAuth, unknown tools, hosts not
     * accepted).
     */
    async start(request: FlowRequest): Promise<StartedFlow> {
      const { dialect, origin, manifest, entry } = await targetOf(request)
      const site = { dialect, auth: manifest.auth }
      const { scopes, foreignScopes, unusableTools } = scopesFor(site, manifest, entry, request.tools)
      const former = entry?.clientId ? clientOfEntry(sealing, entry).client : undefined
      const client = await clients.forFlow(site, origin, {
        pasted: request.client,
        former,
        scopes: foreignScopes ?? [],
      })
      const id = newId()
      const now = clock.now()
      const ticket = newToken('ticket')
      const expiresAt = new Date(now.getTime() + lifetimeMs)
      const flow = {
        id,
        ownerId: request.ownerId,
        userId: request.userId,
        entryId: entry?.id ?? null,
        origin,
        manifest,
        dialect,
        clientId: client.id,
        clientSecret: sealClientSecret(sealing, clientSecretPlace(id), client.secret),
        scopes,
        foreignScopes,
        ticketHash: hashToken(ticket),
        verifier: sealing.seal(oauthClient.newVerifier(), verifierPlace(id)),
        returnTo: request.returnTo ?? null,
        status: 'pending' as const,
        createdAt: now,
        expiresAt,
      }
      // The request to the site took time. Under this lock, a membership ends together with its attempts.
      await database.transaction(async (trx) => {
        await lockOwner(trx, request.ownerId)
        await OAuthFlow.query(trx).insert(flow)
        const ofUser = OAuthFlow.query(trx).where({ ownerId: flow.ownerId, userId: flow.userId })
        await OAuthFlow.query(trx).whereIn('id', ofUser.select('id').orderBy('id', 'desc').offset(mostKept)).delete()
      })
      const connectUrl = `${config.http.baseUrl}/vault/oauth/go?ticket=${ticket}`
      return { id, connectUrl, expiresAt, scopes: foreignScopes ?? scopes, unusableTools }
    },

    /**
     * Opens the address in a browser. It binds nothing yet, because link previews open addresses too, and people may
     * stop here. `bindingOf` finds an earlier cookie of this flow. Fails with NOT_FOUND and VALIDATION_ERROR (over, or
     * bound to another browser).
     */
    async open(ticket: string, bindingOf: (flowId: string) => string | undefined): Promise<OpenedFlow> {
      const flow = await find(ticket)
      assertOpen(flow, clock.now())
      const bound = bindBrowser(flow.id, bindingOf(flow.id))
      assertSameBrowser(flow.bindingHash === null || flow.bindingHash === bound.bindingHash)
      return { flow, ...bound }
    },

    /**
     * Returns the site's authorization address. Binds the flow to this browser and excludes all others. Fails with
     * VALIDATION_ERROR.
     */
    async go({ flow, bindingHash, state }: OpenedFlow): Promise<string> {
      const changed = await OAuthFlow.query(database)
        .findById(flow.id)
        .where({ status: 'pending' })
        .where((query) => void query.whereNull('bindingHash').orWhere({ bindingHash }))
        .patch({ bindingHash, stateHash: hashToken(state) })
      assertSameBrowser(changed === 1)
      const verifier = sealing.open(flow.verifier ?? '', verifierPlace(flow.id))
      const scopes = flow.foreignScopes ?? flow.scopes
      return oauthClient.authorizeUrl(clientOfFlow(sealing, flow), { scopes, state, verifier })
    },

    /** The page shown before the browser continues to the site: the owner, the requester and the requested access. */
    async preview({ flow }: OpenedFlow): Promise<FlowPreview> {
      const owner = await ownerName(database, flow.ownerId)
      const asker = await ownerName(database, flow.userId)
      const isOwn = flow.ownerId === flow.userId
      const { origin, scopes, foreignScopes } = flow
      return { owner, asker, isOwn, site: flow.manifest.name, origin, scopes, foreignScopes }
    },

    async get(owners: Owners, id: string): Promise<OAuthFlow> {
      const flow = isId(id)
        ? await OAuthFlow.query(database).whereIn('ownerId', listOf(owners)).findOne({ id })
        : undefined
      assertThat(flow, 'NOT_FOUND', { message: 'There is no connection attempt with this id.' })
      return flow
    },

    /** Ends a user's unfinished flows for an owner, in the caller's transaction. */
    async endOf(trx: Transaction, { ownerId, userId }: { ownerId: string; userId: string }): Promise<void> {
      const message = 'The user who started connecting the site has left the workspace.'
      const ended = { status: 'failed', code: 'WORKSPACE_NOT_FOUND', message, ...withoutSecrets } as const
      const open = OAuthFlow.query(trx).where({ ownerId, userId, status: 'pending' })
      await open.patch({ ...ended, endedAt: clock.now() })
    },

    async purge(): Promise<void> {
      const before = new Date(clock.now().getTime() - 86_400_000)
      await OAuthFlow.query(database).where('expiresAt', '<', before).delete()
    },
  }
}

function assertOAuth(
  manifest: Manifest,
  path: 'url' | 'entryId',
  instead: string,
): asserts manifest is Manifest & { auth: OAuthSite } {
  const token = 'a token that you create at the site'
  const message =
    manifest.auth.type === 'none'
      ? `This site does not say how users sign in. If its tools need ${token}, use ${instead}.`
      : `This site uses ${token}. Use ${instead}.`
  assertThat(manifest.auth.type === 'oauth2', 'VALIDATION_ERROR', problemAt(path, message))
}

function assertSameBrowser(same: boolean): void {
  const message = 'This link has already been opened in another browser. Start again.'
  assertThat(same, 'VALIDATION_ERROR', problemAt('ticket', message))
}

export function assertOpen(flow: OAuthFlow, now: Date): void {
  const message = flow.status === 'pending' ? 'This link has expired.' : 'This link has already been used.'
  const details = [{ path: 'ticket', message }]
  const open = flow.status === 'pending' && flow.expiresAt > now
  assertThat(open, 'VALIDATION_ERROR', { message: `${message} Start again.`, details })
}
