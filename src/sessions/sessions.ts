import type { Allowances } from '../billing/allowances.ts'
import type { Billing } from '../billing/billing.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { assertThat } from '../errors.ts'
import { isId } from '../ids.ts'
import { listOf, type Owners } from '../owners/reach.ts'
import type { Logger } from '../logger.ts'
import { scopesOf } from '../vault/oauth/needed-scopes.ts'
import type { Scope } from '../sites/tool.ts'
import type { Vault } from '../vault/vault.ts'
import { createCreateSession } from './create-session.ts'
import { idleSince, isLiving } from './lifetime.ts'
import { createOpenSession } from './open-session.ts'
import { createPurgeSessions } from './purge-sessions.ts'
import { createSessionSites } from './session-sites.ts'
import { endSessions, Session, type SessionSite } from './session.ts'

/** A session as its owner sees it. */
export type SessionWithSites = Session & {
  sites: Pick<SessionSite, 'vaultEntryId' | 'tools' | 'askFirst'>[]
  /** The scopes that its currently usable tools need. */
  scopes: Scope[]
}

/**
 * Chat sessions (docs/how-to/chat-page.md): the sites and tools that a chat may use. The token is sufficient: a page
 * with an account's credential would hold its vault, agents and keys.
 */
export function createSessions(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'auth' | 'sessions' | 'runRetentionDays'>
  allowances: Allowances
  logger: Logger
  vault: Vault
  billing: Pick<Billing, 'account' | 'storedBytes'>
  models: { has(name: string): boolean; defaultModel: string }
}) {
  const { database, clock, config } = context
  const sites = createSessionSites(context)

  async function get(owners: Owners, id: string): Promise<Session> {
    const session = isId(id)
      ? await Session.query(database).whereIn('ownerId', listOf(owners)).findOne({ id })
      : undefined
    assertThat(session, 'SESSION_NOT_FOUND', { message: 'There is no session with this id.' })
    return session
  }

  function only(isActive: boolean) {
    const now = clock.now()
    const bindings = { now, idle: idleSince(now, config.sessions) }
    return [isActive ? living : `not (${living})`, bindings] as const
  }

  return {
    get,
    create: createCreateSession({ ...context, sites }),
    open: createOpenSession(context),
    offerOf: sites.offerOf,
    purge: createPurgeSessions(context),

    isActive: (session: Session): boolean => isLiving(session, clock.now(), config.sessions),

    async list(
      ownerId: string,
      { isActive, ...request }: PageRequest & { isActive?: boolean | undefined },
    ): Promise<Page<Session>> {
      const query = Session.query(database)
      if (isActive !== undefined) void query.whereRaw(...only(isActive))
      return page(query, { list: 'sessions', time: 'createdAt', of: { ownerId }, ...request })
    },

    async withSites<S extends Session>(session: S): Promise<S & SessionWithSites> {
      const { choices, tools } = await sites.read(session)
      const shown = choices.map(({ vaultEntryId, tools, askFirst }) => ({ vaultEntryId, tools, askFirst }))
      return Object.assign(session, { sites: shown, scopes: scopesOf(tools.map(({ tool }) => tool)) })
    },

    /** Ends a session permanently; its token fails with INVALID_SESSION. Safe to repeat. */
    end: ({ id }: Pick<Session, 'id'>): Promise<void> => endSessions(database, { id }, clock.now()),
  }
}

const living = 'ended_at is null and expires_at > :now and used_at > :idle'

export type Sessions = ReturnType<typeof createSessions>
