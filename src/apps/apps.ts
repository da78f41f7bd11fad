import { recordDeeds } from '../audit/audit-entry.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { assertThat } from '../errors.ts'
import { isId } from '../ids.ts'
import type { SafeFetch } from '../safe-fetch/safe-fetch.ts'
import { requireLogin, type Caller } from '../users/caller.ts'
import { stepOf } from './app-deeds.ts'
import { createAppRequests } from './app-requests.ts'
import { createAuthorizationServer } from './authorization-server.ts'
import { ConnectedApp, endApps } from './connected-app.ts'
import { mcpPath } from './paths.ts'
import { createRecords } from './records.ts'

/** An app with its owner. */
export type OwnedApp = ConnectedApp & { ownerId: string }

/** Apps: MCP clients that users let act for them. */
export function createApps(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'auth' | 'http'>
  fetch: SafeFetch
}) {
  const { database, clock, config } = context
  const resource = new URL(mcpPath, config.http.baseUrl).href
  const records = createRecords(context)
  const provider = createAuthorizationServer({ ...context, records, resource })

  return {
    /** The audience of tokens. */
    resource,
    provider,
    requests: createAppRequests({ ...context, provider }),

    /** The caller's apps at all owners, newest first. */
    list: async (caller: Caller, request: PageRequest): Promise<Page<ConnectedApp>> => {
      requireLogin(caller)
      const { userId } = caller
      const live = ConnectedApp.query(database).where({ userId }).where('expiresAt', '>', clock.now())
      return page(live, { list: 'apps', time: 'createdAt', ...request })
    },

    /** One of the caller's apps. NOT_FOUND. */
    async get({ userId }: Pick<Caller, 'userId'>, id: string): Promise<OwnedApp> {
      const app = isId(id) ? await ConnectedApp.query(database).findById(id).where({ userId }) : undefined
      assertThat(app, 'NOT_FOUND', { message: 'You have no connected app with this id.' })
      return Object.assign(app, { ownerId: app.workspaceId ?? userId })
    },

    /** Ends the app and its tokens. */
    disconnect: ({ id }: ConnectedApp): Promise<void> => endApps(database, { id }),

    /** Records that the authorization server refused tokens to an app, for whoever looks for the reason. */
    async noteFailure(appId: string, error: string): Promise<void> {
      const app = isId(appId) ? await ConnectedApp.query(database).findById(appId) : undefined
      if (app) await database.transaction((trx) => recordDeeds(trx, clock.now(), stepOf(app, 'failApp', { error })))
    },

    purge: () => records.purge(),
  }
}
