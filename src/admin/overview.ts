import { raw } from 'objection'
import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { idIn, page, type Page, type PageRequest } from '../database/paging.ts'
import { isOpen, Outage } from '../outages/outage.ts'
import { assertThat } from '../errors.ts'
import { isId } from '../ids.ts'
import { systemOwnerId } from '../owners/system-owner.ts'
import { paidWith } from '../owners/payer.ts'
import { Run } from '../runs/run.ts'
import type { RunStatus } from '../runs/states.ts'
import { noUser } from './accounts.ts'
import { normalizeEmail } from '../users/email.ts'
import type { Account as AccountRow } from '../billing/account.ts'
import type { TierName } from '../billing/tiers.ts'
import { User } from '../users/user.ts'
import { Workspace } from '../workspaces/workspace.ts'

class AccountOverview extends User {
  /** null before its first use. */
  declare tier: TierName | null
  declare balance: number | null
  declare givenTier: TierName | null
  declare limits: AccountRow['limits']
  /** When the account will be deleted; null if it will not. */
  declare deletionDueAt: Date | null
}

class WorkspaceOverview extends Workspace {
  declare payerEmail: string
  declare members: number
}

/** Counts for the whole platform. */
export interface Stats {
  users: number
  workspaces: number
  agents: number
  queuedRuns: number
  runningRuns: number
  waitingRuns: number
  /** In the last 24 hours. */
  endedRuns: number
  failedRuns: number
  pendingCallbacks: number
  pendingMails: number
}

/**
 * A configured model, the number of runs that wait for a slot at its provider, and its outage with the number of runs
 * that wait for its end.
 */
export interface ModelState {
  name: string
  id: string
  isDefault: boolean
  provider: { name: string; kind: string; host: string | null; concurrency: number; waitingRuns: number }
  outage: (Outage & { waitingRuns: number }) | null
}

/** What operators see of the whole platform: users, workspaces, runs, models, and totals. */
export function createOverview(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'billing' | 'models'>
}) {
  const { database, clock, config } = context

  // Without payments, the billing columns are meaningless.
  const isOff = config.billing.mode === 'off'
  const paid = isOff ? [raw('null as tier'), raw('null as balance')] : ['accounts.tier', 'accounts.balance']

  const accounts = () =>
    AccountOverview.query(database)
      .leftJoin('accounts', 'accounts.ownerId', 'users.id')
      .leftJoin('deletions', 'deletions.ownerId', 'users.id')
      .select('users.*', 'accounts.givenTier', 'accounts.limits', ...paid)
      .select('deletions.dueAt as deletionDueAt')

  /** Fails with NOT_FOUND. */
  async function user(userId: string): Promise<AccountOverview> {
    const found = isId(userId) ? await accounts().findOne('users.id', userId) : undefined
    assertThat(found, 'NOT_FOUND', { message: noUser })
    return found
  }

  return {
    user,

    /** The runs that the user pays for, newest first. NOT_FOUND (the user). */
    async runs(
      userId: string,
      { status, ...request }: PageRequest & { status?: RunStatus | undefined },
    ): Promise<Page<Run>> {
      const { id } = await user(userId)
      const paid = Run.query(database).whereIn('ownerId', paidWith(id))
      if (status !== undefined) void paid.where({ status })
      return page(paid, { list: 'runs-of-user', ...request, time: 'acceptedAt' })
    },

    /** Fails with RUN_NOT_FOUND. */
    async run(id: string): Promise<Run> {
      const found = isId(id) ? await Run.query(database).findById(id) : undefined
      assertThat(found, 'RUN_NOT_FOUND')
      return found
    },

    /** Newest first. With an address, only the user who has it. */
    async users({
      email: written,
      ...request
    }: PageRequest & { email?: string | undefined }): Promise<Page<AccountOverview>> {
      const query = accounts()
      if (written !== undefined) void query.where({ email: normalizeEmail(written) ?? '' })
      return page(query, { list: 'users', key: idIn('users.id'), time: 'users.createdAt', ...request })
    },

    /** Newest first, including deleted ones. */
    workspaces: (request: PageRequest): Promise<Page<WorkspaceOverview>> =>
      page(
        WorkspaceOverview.query(database)
          .join('users', 'users.id', 'workspaces.payerId')
          .select('workspaces.*', 'users.email as payerEmail', raw(membersCount)),
        { list: 'all-workspaces', key: idIn('workspaces.id'), time: 'workspaces.createdAt', ...request },
      ),

    /** Counted on each request: seconds on a platform with a million accounts. */
    async stats(): Promise<Stats> {
      const { rows } = await database.raw<{ rows: [Stats] }>(statsStatement, { since: later(clock.now(), -86_400) })
      return rows[0]
    },

    /** In the order of the configuration. */
    async models(): Promise<ModelState[]> {
      const { rows } = await database.raw<{ rows: { provider: string; count: number }[] }>(waitingStatement)
      const waiting = new Map(rows.map(({ provider, count }) => [provider, count]))
      const outages = await readOutages(database)
      const configured = config.models.models.map(({ name, id, provider: of }) => {
        const { kind = 'demo', baseUrl, concurrency = 0 } = config.models.providers.find((one) => one.name === of) ?? {}
        const host = baseUrl === undefined ? null : new URL(baseUrl).host
        const provider = { name: of, kind, host, concurrency, waitingRuns: waiting.get(of) ?? 0 }
        return { name, id, isDefault: name === config.models.default, provider, outage: outages.get(name) ?? null }
      })
      const gone = [...outages.values()].filter(({ model }) => !configured.some(({ name }) => name === model))
      return [...configured, ...gone.map(unconfigured)]
    },
  }
}

/** A model that agents use but that is no longer configured: its runs wait. */
const unconfigured = (outage: Outage & { waitingRuns: number }): ModelState => ({
  name: outage.model,
  id: outage.model,
  isDefault: false,
  provider: { name: outage.provider ?? 'none', kind: 'none', host: null, concurrency: 0, waitingRuns: 0 },
  outage,
})

/** The models that are out, each with the number of runs that wait for it. */
async function readOutages(database: Database): Promise<Map<string, Outage & { waitingRuns: number }>> {
  const open = await Outage.query(database).where(isOpen).select('model_outages.*', raw(waitingForModel))
  return new Map((open as (Outage & { waitingRuns: number })[]).map((outage) => [outage.model, outage]))
}

const waitingForModel = `
  (select count(*)::int from runs
    where status = 'waiting' and waiting_cause = 'model' and waiting_for = model_outages.model) as waiting_runs`

const membersCount = '(select count(*)::int from members where members.workspace_id = workspaces.id) as members'

const waitingStatement = `
  select no_place_at as provider, count(*)::int as count from runs
   where status in ('queued', 'running', 'waiting') and no_place_at is not null group by 1`

const statsStatement = `
  select (select count(*) from users)::int as users,
         (select count(*) from workspaces where deleted_at is null)::int as workspaces,
         (select count(*) from agents where deleted_at is null and owner_id <> '${systemOwnerId}')::int as agents,
         queued as "queuedRuns", running as "runningRuns", waiting as "waitingRuns",
         ended as "endedRuns", failed as "failedRuns",
         (select count(*) from callbacks where status = 'pending')::int as "pendingCallbacks",
         (select count(*) from outbox_mails where status = 'pending')::int
           + (select count(*) from notifications where mail_status = 'pending')::int as "pendingMails"
    from (select (count(*) filter (where status = 'queued'))::int as queued,
                 (count(*) filter (where status = 'running'))::int as running,
                 (count(*) filter (where status = 'waiting'))::int as waiting
            from runs where status in ('queued', 'running', 'waiting') and owner_id <> '${systemOwnerId}') unfinished,
         (select count(*)::int as ended, (count(*) filter (where status = 'failed'))::int as failed
            from runs where ended_at >= :since and owner_id <> '${systemOwnerId}') over`
