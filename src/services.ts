import { createAdminAccounts } from './admin/accounts.ts'
import { createOverview } from './admin/overview.ts'
import { createAgents } from './agents/agents.ts'
import { createApps } from './apps/apps.ts'
import { createApprovals } from './approvals/approvals.ts'
import { createAudit } from './audit/audit.ts'
import { createAllowances } from './billing/allowances.ts'
import { createBilling } from './billing/billing.ts'
import { createFitToLimits } from './billing/fit-to-limits.ts'
import { createSandbox } from './billing/gateways/sandbox/sandbox.ts'
import { createStripe } from './billing/gateways/stripe/stripe.ts'
import { createSandboxClock } from './billing/sandbox-clock.ts'
import { createAccountSweep } from './billing/account-sweep.ts'
import { databaseClock, type Clock } from './clock.ts'
import type { Config } from './config/config.ts'
import { createCatalogue } from './catalogue/catalogue.ts'
import { createChat } from './chat/chat.ts'
import { createCanary } from './canary/canary.ts'
import { createCallbacks } from './callbacks/callbacks.ts'
import { createDeliver } from './callbacks/deliver.ts'
import { createDatabase, type Prove, type Transaction } from './database/database.ts'
import { followClock } from './database/follow-clock.ts'
import type { Migration } from './database/migrate.ts'
import { createDeletions } from './deletion/deletions.ts'
import { createLease } from './database/lease.ts'
import type { Logger } from './logger.ts'
import type * as inThread from './in-thread.ts'
import { createLoop } from './loop/loop.ts'
import { createModels } from './models/models.ts'
import { createMoves } from './moves/moves.ts'
import { createNeeds } from './needs/needs.ts'
import { createMetrics } from './metrics/metrics.ts'
import { createOwnMetrics } from './metrics/own-metrics.ts'
import { createRecordMetrics } from './metrics/record-metrics.ts'
import { createMails } from './notifications/mails.ts'
import { createNotifications } from './notifications/notifications.ts'
import { createNotificationWebhooks } from './notifications/webhooks.ts'
import { createProcesses } from './processes/processes.ts'
import { createRateLimits } from './rate-limit.ts'
import { createDue } from './runs/due.ts'
import { createForgotten } from './runs/reconcile/forgotten-agents.ts'
import { createOrphans } from './runs/reconcile/orphans.ts'
import { createAccessChanges } from './owners/access-changes.ts'
import { createExportTurns } from './owners/export-turns.ts'
import { createOutbox } from './outbox/outbox.ts'
import { createOutages } from './outages/outages.ts'
import { createOutputs } from './outputs/outputs.ts'
import { createReachability } from './temporal/reachability.ts'
import { createPartitions } from './runs/retention/partitions.ts'
import { createRetention } from './runs/retention/retention.ts'
import { createRuns } from './runs/runs.ts'
import { createWaysOut } from './safe-fetch/ways-out.ts'
import { createScheduleSync } from './schedules/schedule-sync.ts'
import { createFires } from './schedules/fires/fires.ts'
import { createSchedules } from './schedules/schedules.ts'
import { createSealing } from './secrets/sealing.ts'
import { createSessions } from './sessions/sessions.ts'
import { createSilence } from './silence/silence.ts'
import { createSignIn } from './sign-in/sign-in.ts'
import { createDocuments } from './documents/documents.ts'
import { createDialect } from './sites/dialects/registry.ts'
import { createSites } from './sites/sites.ts'
import { createTemplates } from './templates/templates.ts'
import { createTemporal } from './temporal/temporal.ts'
import { createLargeBodies } from './threads/large-bodies.ts'
import { createThreads, type Threads } from './threads/threads.ts'
import { createTracing } from './tracing/tracing.ts'
import { tracedRequests } from './tracing/requests.ts'
import { createHostProposals } from './tools/host-proposals.ts'
import { createHosts } from './tools/hosts.ts'
import { createCallSite } from './tools/call-site.ts'
import { createOutgoingLimit } from './tools/outgoing-limit.ts'
import { createSender } from './tools/sender.ts'
import { createTools } from './tools/tools.ts'
import { owaspCost, type PasswordCost } from './users/passwords.ts'
import { createUsers } from './users/users.ts'
import { createVaultKeys } from './secrets/vault-keys.ts'
import { createManifests } from './vault/manifests/manifests.ts'
import { createVault } from './vault/vault.ts'
import { createPayloads } from './webhooks/payloads.ts'
import { createRecipients } from './webhooks/recipients.ts'
import { createRefusals } from './webhooks/refusals.ts'
import { createTestDeliveries } from './webhooks/test-deliveries.ts'
import { createWebhooks } from './webhooks/webhooks.ts'
import { createWorkspaces } from './workspaces/workspaces.ts'
import { createWhy } from './why/why.ts'
import { createWorkers } from './temporal/workers.ts'

/**
 * The proof of a process's database, the migrations that it should have, and replacements for tests: the clock, the
 * cost of hashing a password, and shared threads.
 */
interface Options {
  prove?: Prove | undefined
  clock?: Clock | undefined
  passwordCost?: PasswordCost | undefined
  threads?: Threads<typeof inThread> | undefined
  migrations?: Migration[] | undefined
}

export const createStrangersThreads = () =>
  createThreads<typeof inThread>({ file: new URL('./in-thread.ts', import.meta.url) })

/** The composition root: all parts of the product, in order of dependency. */
export function createServices(
  config: Config,
  logger: Logger,
  {
    prove,
    clock = databaseClock,
    passwordCost = owaspCost,
    threads = createStrangersThreads(),
    migrations = [],
  }: Options = {},
) {
  const database = createDatabase(config, logger, { prove })
  const temporal = createTemporal(config.temporal, logger)
  const tracing = createTracing({ config, logger })
  const waysOut = createWaysOut(config)
  const sealing = createSealing(config.vaultKeys)
  const vaultKeys = createVaultKeys({ database, clock, sealing, keys: config.vaultKeys })
  const rateLimits = createRateLimits({ database, config })
  const lease = createLease({ database })
  const due = createDue({ database, clock })
  const { fetch, stream } = tracedRequests(waysOut.sites)
  const documents = createDocuments({ database, clock, threads })
  const callSite = createCallSite({ logger, threads })
  const dialect = createDialect({ config, threads, fetch, stream, documents, callSite })
  const [allowances, metrics] = [createAllowances({ config }), createMetrics({ config })]
  const reach = { temporal, threads, largeBodies: createLargeBodies(), fetch, dialect, metrics, tracing }
  const base = { allowances, database, clock, config, logger, sealing, rateLimits, lease, due, ...reach }

  const audit = createAudit(base)
  const outbox = createOutbox(base)
  const users = createUsers({ ...base, outbox, passwordCost })
  const notifications = createNotifications(base)
  const notificationWebhooks = createNotificationWebhooks(base)
  const mails = createMails({ ...base, outbox })
  const hosts = createHosts(base)
  const stripe = createStripe(base)
  const sandbox = createSandbox(base)
  const billing = createBilling({ ...base, gateway: stripe?.gateway ?? sandbox, notifications })
  const { storedBytes } = billing
  const models = createModels(base)
  const outages = createOutages({ ...base, models })
  const sites = createSites(base)
  const limitOf = async (ownerId: string, trx?: Transaction) => (await billing.account(ownerId, trx)).limits.vaultSites
  const proposals = createHostProposals(base)
  const vault = createVault({ ...base, audit, sites, notifications, proposals, limitOf })
  const manifests = createManifests({
    ...base,
    sites,
    notifications,
    proposals,
    connectionOf: vault.connections.current,
    revoke: vault.revoke,
  })
  const outgoingLimit = createOutgoingLimit(base)
  const sender = createSender({ ...base, vault, outgoing: outgoingLimit, storedBytes })
  const outputs = createOutputs(base)
  const approvals = createApprovals({ ...base, notifications })
  const loop = createLoop({ ...base, approvals, billing, models, outputs, sender, sites })
  const tools = createTools({ ...base, billing, sites, vault, performCall: loop.performCall })
  const schedules = createSchedules(base)
  const agents = createAgents({ ...base, billing, models, outputs, vault, schedules })
  const exceeding = createFitToLimits({ ...base, agents, notifications })
  const sweep = createAccountSweep({ ...base, billing, exceeding })
  const adminAccounts = createAdminAccounts({ ...base, credits: billing.credits, exceeding, users })
  const sandboxClock = createSandboxClock({
    ...base,
    billing,
    sweep,
    sandbox: config.billing.mode === 'sandbox' ? sandbox : undefined,
  })
  const sessions = createSessions({ ...base, billing, models, vault })
  const callbacks = createCallbacks(base)
  const deliverCallbacks = createDeliver({
    ...base,
    ownFetch: waysOut.own,
    agents,
    notifications,
    notificationWebhooks,
  })
  const workers = createWorkers(base)
  const processes = createProcesses(base)
  const canary = createCanary({ ...base, agents, processes, ownFetch: waysOut.own })
  const reachability = createReachability(base)
  const payloads = createPayloads(base)
  const parts = { agents, approvals, billing, callbacks, notifications, loop, outages, payloads }
  const runs = createRuns({ ...base, ...parts, workers, reachability })
  const recipients = createRecipients({ ...base, agents, billing })
  const refusals = createRefusals(base)
  const silence = createSilence({ ...base, notifications, refusals })
  const webhooks = createWebhooks({ ...base, agents, billing, payloads, recipients, refusals, runs, silence })
  const testDeliveries = createTestDeliveries({ ...base, agents, webhooks })
  const catalogue = createCatalogue({ ...base, vault })
  const templates = createTemplates({ ...base, agents, catalogue, runs, webhooks })
  const retention = createRetention(base)
  const partitions = createPartitions(base)
  const fires = createFires({ ...base, runs, billing, schedules })
  const scheduleSync = createScheduleSync({ ...base, notifications, schedules })
  const chat = createChat({ ...base, approvals, billing, loop, outages, sessions })
  const why = createWhy({ ...base, billing, workers, reachability, reconciler: runs.reconciler, silence })
  const needs = createNeeds({ ...base, billing, vault })
  const accessChanges = createAccessChanges(base)
  const apps = createApps(base)
  const signIn = createSignIn({ ...base, trustedFetch: waysOut.trusted.fetch, outbox, users })
  const moves = createMoves({ ...base, billing, schedules })
  const workspaces = createWorkspaces({ ...base, billing, notifications, outbox, tries: users.tries, vault })
  const exportTurns = createExportTurns(base)
  const deletions = createDeletions({ ...base, agents, billing, vault, workspaces })
  const orphans = createOrphans(base)
  const forgotten = createForgotten(base)

  return {
    ...base,
    recordMetrics: createRecordMetrics(base),
    ownMetrics: createOwnMetrics(base),
    migrations,
    followClock: () => followClock(database, logger),
    audit,
    overview: createOverview(base),
    adminAccounts,
    approvals,
    chat,
    vaultKeys,
    users,
    notifications,
    notificationWebhooks,
    mails,
    outbox,
    hosts,
    outgoingLimit,
    billing,
    exceeding,
    sweep,
    stripe,
    sandboxClock,
    sites,
    documents,
    sender,
    vault,
    manifests,
    tools,
    agents,
    sessions,
    workspaces,
    moves,
    signIn,
    accessChanges,
    apps,
    exportTurns,
    deletions,
    models,
    loop,
    outages,
    callbacks,
    deliverCallbacks,
    runs,
    refusals,
    silence,
    testDeliveries,
    webhooks,
    catalogue,
    templates,
    retention,
    partitions,
    schedules,
    fires,
    scheduleSync,
    workers,
    processes,
    canary,
    why,
    needs,
    reachability,
    orphans,
    forgotten,

    async close(): Promise<void> {
      await chat.drain()
      await runs.watching.stop()
      await runs.live.stop()
      await schedules.settled()
      await temporal.close()
      await vault.refresh.settled()
      await waysOut.close()
      await outages.close()
      await models.close()
      await threads.close()
      await refusals.flush()
      await silence.flush()
      await storedBytes.flush().catch((error: unknown) => logger.warn({ err: error }, 'failed to count stored bytes'))
      await tracing.close()
      await database.destroy()
    },
  }
}

export type Services = ReturnType<typeof createServices>
