import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Due } from '../runs/due.ts'
import type { SafeFetch } from '../safe-fetch/safe-fetch.ts'
import type { Sealing } from '../secrets/sealing.ts'
import type { Dialect } from '../sites/dialects/dialect.ts'
import type { Sites } from '../sites/sites.ts'
import type { HostProposals } from '../tools/host-proposals.ts'
import { agentCountsOf } from './agent-counts.ts'
import { createClients } from './oauth/clients.ts'
import { createOAuthReturn } from './oauth/oauth-return.ts'
import { createWantedChecks } from './manifests/wanted-checks.ts'
import { createConnectedAt } from './connected-at.ts'
import { createConnections } from './connections.ts'
import { createMarkNeedsReauth } from './reauthorization.ts'
import { createEntries } from './entries.ts'
import { createListedTools } from './listed-tools.ts'
import { createFlows } from './oauth/flows.ts'
import { createOAuthClient } from './oauth/oauth-client.ts'
import { createInspection } from './inspection.ts'
import { createRemoval } from './removal.ts'
import { createRevocations } from './revocations.ts'
import { createRefresh } from './refresh/refresh.ts'

/**
 * The vault: an owner's connections to sites (docs/understand/credentials.md, "The vault"). Credentials are sealed with
 * authenticated encryption and sent only to the site they belong to.
 */
export function createVault(context: {
  database: Database
  clock: Clock
  config: Config
  logger: Logger
  metrics: Pick<Metrics, 'refreshes'>
  sealing: Sealing
  fetch: SafeFetch
  dialect: Pick<Dialect, 'access' | 'isPersonal' | 'takesAnyToken'>
  sites: Sites
  notifications: Notifications
  due: Due
  audit: Pick<Audit, 'begin'>
  proposals: HostProposals
  limitOf: (ownerId: string, trx?: Transaction) => Promise<number>
}) {
  const oauthClient = createOAuthClient(context)
  const clients = createClients({ ...context, oauthClient })
  const markNeedsReauth = createMarkNeedsReauth(context)
  const entries = createEntries({ ...context, oauthClient })
  const refresh = createRefresh({ ...context, oauthClient, markNeedsReauth })
  const revocations = createRevocations({ ...context, oauthClient })
  return {
    ...entries,
    ...createListedTools(context),
    inspect: createInspection({ ...context, clients }),
    ...createRemoval({ ...context, revocations }),
    connectedAt: createConnectedAt(context),
    agentCountsOf: (ids: readonly string[]) => agentCountsOf(context.database, ids),
    revocations,
    clients,
    flows: createFlows({ ...context, oauthClient, clients, assertNew: entries.assertNew }),
    callback: createOAuthReturn({ ...context, oauthClient, keep: entries.keep }),
    refresh,
    ...createWantedChecks(context),
    connections: createConnections({ ...context, refresh, markNeedsReauth, toolsOf: entries.toolsOf }),
  }
}

export type Vault = ReturnType<typeof createVault>
