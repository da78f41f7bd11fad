import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Due } from '../runs/due.ts'
import type { SafeFetch } from '../safe-fetch/safe-fetch.ts'
import type { Sealing } from '../secrets/sealing.ts'
import type { Sites } from '../sites/sites.ts'
import { createCallback } from './oauth/oauth-return.ts'
import { createConnections } from './connections.ts'
import { createDeaths } from './reauthorisation.ts'
import { createEntries } from './entries.ts'
import { createFlows } from './oauth/flows.ts'
import { createOAuthClient } from './oauth/oauth-client.ts'
import { createRefresh } from './refresh/refresh.ts'

/**
 * The vault: an owner's connections to sites (docs/design.md, "Vault and sites"). Credentials are sealed with
 * authenticated encryption and never leave except to the site they belong to.
 */
export function createVault(base: {
  database: Database
  clock: Clock
  config: Config
  logger: Logger
  sealing: Sealing
  fetch: SafeFetch
  sites: Sites
  notifications: Notifications
  due: Due
  limitOf: (ownerId: string) => Promise<number>
}) {
  const oauthClient = createOAuthClient(base)
  const deaths = createDeaths(base)
  const entries = createEntries({ ...base, oauthClient })
  const refresh = createRefresh({ ...base, oauthClient, deaths })
  return {
    ...entries,
    flows: createFlows({ ...base, oauthClient, assertNew: entries.assertNew }),
    callback: createCallback({ ...base, oauthClient, keep: entries.keep }),
    refresh,
    connections: createConnections({ ...base, refresh, deaths, toolsOf: entries.toolsOf }),
  }
}

export type Vault = ReturnType<typeof createVault>
