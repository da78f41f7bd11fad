import { raw } from 'objection'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { assertThat } from '../errors.ts'
import { isId } from '../ids.ts'
import { ownersIn } from '../owners/reach.ts'
import type { SafeFetch } from '../safe-fetch/safe-fetch.ts'
import { requireLogin, type Caller } from '../users/caller.ts'
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

  /** The caller's apps at the owners that this login can see. */
  const within = ({ userId, reach }: Pick<Caller, 'userId' | 'reach'>) =>
    ConnectedApp.query(database).where({ userId }).whereIn(raw('coalesce(workspace_id, user_id)'), ownersIn(reach))

  return {
    /** The audience of tokens. */
    resource,
    provider,
    requests: createAppRequests({ ...context, provider, records }),

    /** The caller's apps, newest first. */
    list: async (caller: Caller, request: PageRequest): Promise<Page<ConnectedApp>> => {
      requireLogin(caller)
      const live = within(caller).where('expiresAt', '>', clock.now())
      return page(live, { list: 'apps', time: 'createdAt', ...request })
    },

    /** One of the caller's apps. NOT_FOUND. */
    async get(caller: Caller, id: string): Promise<OwnedApp> {
      const app = isId(id) ? await within(caller).findById(id) : undefined
      assertThat(app, 'NOT_FOUND', { message: 'You have no connected app with this id.' })
      return Object.assign(app, { ownerId: app.workspaceId ?? app.userId })
    },

    /** Ends the app and its tokens. */
    disconnect: ({ id }: ConnectedApp): Promise<void> => endApps(database, { id }),

    noteFailure: records.noteFailure,

    purge: () => records.purge(),
  }
}
