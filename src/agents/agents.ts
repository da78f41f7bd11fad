import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { violatedConstraint, type Database, type Transaction } from '../database/database.ts'
import { assertThat, CodedError, type ErrorDetail } from '../errors.ts'
import { gather } from '../database/gather.ts'
import { isId, newId } from '../ids.ts'
import { readCursor, toPage, type Page, type PageRequest } from '../database/paging.ts'
import { fieldsOf } from '../database/row.ts'
import type { Due } from '../runs/due.ts'
import type { Schedules } from '../schedules/schedules.ts'
import type { Sealing } from '../secrets/sealing.ts'
import type { SiteTool } from '../sites/tool.ts'
import type { VaultEntry } from '../vault/vault-entry.ts'
import type { Vault } from '../vault/vault.ts'
import { Agent, AgentSite } from './agent.ts'
import { createCallbackAddress } from './callback-address.ts'
import { createLifecycle } from './lifecycle.ts'
import { createWebhookSecrets } from './webhook-secrets.ts'

/** The sites and tools an agent is given; without `tools` all of the site's. */
export interface SiteChoice {
  vaultEntryId: string
  tools?: string[] | undefined
}

/** What an owner says of an agent. */
export interface AgentFields {
  name: string
  systemPrompt: string
  trigger: Agent['trigger']
  cron: string | null
  timeZone: string | null
  webhookSchema: Agent['webhookSchema']
  webhookProof: Agent['webhookProof']
  allowActionOverride: boolean
  callbackUrl: string | null
  sites: SiteChoice[]
}

/** What a run takes over from its agent when it starts. */
export type AgentForRun = Pick<
  Agent,
  'id' | 'ownerId' | 'name' | 'pausedAt' | 'systemPrompt' | 'webhookSchema' | 'allowActionOverride'
>

/** One tool that an agent may use, and where it is. */
export interface AgentTool {
  entryId: string
  siteName: string
  siteOrigin: string
  tool: SiteTool
}

export type AgentWithSites = Agent & { sites: { vaultEntryId: string; tools: string[] | null }[] }

/** Agents: what an owner configures, and what runs and webhooks need of it. */
export function createAgents(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'sites'>
  sealing: Sealing
  vault: Vault
  schedules: Schedules
  due: Due
}) {
  const { database, clock, due, vault, schedules } = context
  const secrets = createWebhookSecrets(context)
  const callbackAddress = createCallbackAddress(context)

  const living = (db: Database | Transaction) => Agent.query(db).whereNull('deletedAt')

  const livingById = gather<string, Agent>(async (ids) => {
    const found = await living(database).findByIds(ids)
    return new Map(found.map((agent) => [agent.id, agent]))
  })

  async function withSites(agent: Agent): Promise<AgentWithSites> {
    const sites = await AgentSite.query(database).where({ agentId: agent.id }).orderBy('position')
    return Object.assign(agent, { sites: sites.map(({ vaultEntryId, tools }) => ({ vaultEntryId, tools })) })
  }

  async function get(ownerId: string, id: string): Promise<AgentWithSites> {
    const agent = isId(id) ? await living(database).findOne({ ownerId, id }) : undefined
    assertThat(agent, 'AGENT_NOT_FOUND')
    return withSites(agent)
  }

  async function assertSites(ownerId: string, sites: SiteChoice[]): Promise<void> {
    const entries = await vault.known(
      ownerId,
      sites.map(({ vaultEntryId }) => vaultEntryId),
    )
    const details = sites.flatMap((choice, index) => siteProblems(vault, entries, choice, index))
    const repeated = new Set(sites.map(({ vaultEntryId }) => vaultEntryId)).size < sites.length
    if (repeated) details.push({ path: 'sites', message: 'Each vault entry may be named once.' })
    const message = `The sites are not valid. ${details[0]?.message ?? ''}`
    assertThat(details.length === 0, 'VALIDATION_ERROR', { message, details })
  }

  async function storeSites(trx: Transaction, agentId: string, sites: SiteChoice[]): Promise<void> {
    await AgentSite.query(trx).delete().where({ agentId })
    if (sites.length === 0) return
    const rows = sites.map(({ vaultEntryId, tools }, position) => ({
      agentId,
      vaultEntryId,
      position,
      tools: tools ?? null,
    }))
    await AgentSite.query(trx).insert(rows).catch(refuseRemoved)
  }

  /** Refuses a combination of fields that no agent can have, and a schedule that cannot be read: VALIDATION_ERROR. */
  function assertTrigger(fields: Pick<AgentFields, 'trigger' | 'cron' | 'timeZone'>): void {
    assertCombination(fields)
    if (fields.cron !== null && fields.timeZone !== null) schedules.assertPlan(fields.cron, fields.timeZone)
  }

  return {
    ...secrets,
    ...createLifecycle(context),
    get,
    assertTrigger,

    /** Fails with AGENT_LIMIT_REACHED, VALIDATION_ERROR (sites or tools that are not there), INVALID_URL (of callbacks). */
    async create(ownerId: string, { sites, ...fields }: AgentFields, limit: number): Promise<AgentWithSites> {
      await assertSites(ownerId, sites)
      const id = newId()
      const now = clock.now()
      await database.transaction(async (trx) => {
        // Counted under a lock, so that requests at the same instant cannot exceed the limit together.
        await trx.raw('select id from users where id = ? for no key update', [ownerId])
        const count = await living(trx).where({ ownerId }).resultSize()
        const message = `You have ${count} agents, as many as your tier allows.`
        assertThat(count < limit, 'AGENT_LIMIT_REACHED', { message })
        const webhookSecret = secrets.newSealedSecret(id)
        const callback = callbackAddress.columnsFor(id, fields.callbackUrl, null)
        const made = { createdAt: now, updatedAt: now }
        await Agent.query(trx).insert({ id, ownerId, ...fields, ...callback, webhookSecret, ...made })
        await trx.raw('insert into agent_queues (agent_id, progressed_at, signalled_at) values (?, ?, ?)', [
          id,
          now,
          now,
        ])
        await storeSites(trx, id, sites)
        await schedules.noteChange(trx, undefined, await living(trx).findById(id).throwIfNotFound(), now)
      })
      if (fields.trigger === 'scheduled') schedules.syncSoon(id)
      return get(ownerId, id)
    },

    /** Changes what is named. Runs that have started keep what they were started with. */
    async update(agent: AgentWithSites, { sites, ...fields }: Partial<AgentFields>): Promise<AgentWithSites> {
      if (sites) await assertSites(agent.ownerId, sites)
      const isTold = await database.transaction(async (trx) => {
        // Judged under the row's lock: two changes that are right each for itself may not be so together.
        const current = await living(trx).findById(agent.id).forUpdate()
        assertThat(current, 'AGENT_NOT_FOUND')
        const after = { ...fieldsOf(current), ...fields }
        assertTrigger(after)
        if (fields.webhookProof) secrets.assertProof(fields.webhookProof, current)
        const { callbackUrl } = fields
        const callback =
          callbackUrl === undefined ? {} : callbackAddress.columnsFor(agent.id, callbackUrl, current.callbackSecret)
        await Agent.query(trx)
          .findById(agent.id)
          .patch({ ...fields, ...callback, updatedAt: clock.now() })
        if (sites) await storeSites(trx, agent.id, sites)
        if (sites) await due.agent(trx, agent.id)
        return schedules.noteChange(trx, current, after, clock.now())
      })
      if (isTold) schedules.syncSoon(agent.id)
      return get(agent.ownerId, agent.id)
    },

    /** What the agent's callbacks are signed with; null if it never named an address for them. */
    callbackSecretOf: callbackAddress.secretOf,

    /** Gives the agent's callbacks another secret; it signs from now on. VALIDATION_ERROR for an agent without any. */
    async rotateCallbackSecret({ id, callbackUrl }: Agent): Promise<void> {
      const message = 'The agent has no callbackUrl, so there is no secret to change.'
      assertThat(callbackUrl !== null, 'VALIDATION_ERROR', { message })
      const callbackSecret = callbackAddress.newSealedSecret(id)
      await living(database).findById(id).patch({ callbackSecret, updatedAt: clock.now() })
    },

    async list(ownerId: string, page: PageRequest & { trigger?: Agent['trigger'] | undefined }): Promise<Page<Agent>> {
      const before = readCursor('agents', page.cursor)
      const query = living(database)
        .where({ ownerId })
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
      if (before) void query.where('id', '<', before)
      if (page.trigger) void query.where({ trigger: page.trigger })
      return toPage('agents', await query, page.limit, ({ id }) => id)
    },

    /** The agent that a webhook addresses; AGENT_NOT_FOUND unless it is there and triggered by webhooks. */
    async forWebhook(id: string): Promise<Agent> {
      const agent = isId(id) ? await livingById(id) : undefined
      assertThat(agent?.trigger === 'webhook', 'AGENT_NOT_FOUND')
      return agent
    },

    /** The agent whose deliveries a sender asks after, whatever starts it by now; AGENT_NOT_FOUND. */
    async forSender(id: string): Promise<Agent> {
      const agent = isId(id) ? await livingById(id) : undefined
      assertThat(agent, 'AGENT_NOT_FOUND')
      return agent
    },

    /** What a starting run takes over; undefined when the agent is gone. */
    forRun: async (trx: Transaction, id: string): Promise<AgentForRun | undefined> => living(trx).findOne({ id }),

    /** The tools the agent may use now, as far as their scopes were granted, in the order of its sites and their manifests. */
    async toolsOf(agentId: string, ownerId: string): Promise<AgentTool[]> {
      const choices = await AgentSite.query(database).where({ agentId }).orderBy('position')
      const entries = await vault.known(
        ownerId,
        choices.map(({ vaultEntryId }) => vaultEntryId),
      )
      return choices.flatMap(({ vaultEntryId, tools }) => {
        const entry = entries.find(({ id }) => id === vaultEntryId)
        if (!entry) return []
        const allowed = vault
          .toolsOf(entry)
          .filter(({ name, usable }) => usable && (tools === null || tools.includes(name)))
        return allowed.map((tool) => ({ entryId: entry.id, siteName: entry.name, siteOrigin: entry.origin, tool }))
      })
    },
  }
}

export type Agents = ReturnType<typeof createAgents>

/** A site that was there when the request was judged may have been removed from the vault since. */
function refuseRemoved(error: unknown): never {
  if (violatedConstraint(error) !== 'agent_sites_vault_entry_fk') throw error
  const message = 'A site of the agent was removed from the vault meanwhile.'
  throw new CodedError('VALIDATION_ERROR', { message, details: [{ path: 'sites', message }] })
}

function siteProblems(vault: Vault, entries: VaultEntry[], choice: SiteChoice, index: number): ErrorDetail[] {
  const entry = entries.find(({ id }) => id === choice.vaultEntryId)
  const path = `sites.${index}`
  if (!entry) return [{ path: `${path}.vaultEntryId`, message: 'There is no vault entry with this identifier.' }]
  const offered = new Set(vault.toolsOf(entry).map(({ name }) => name))
  return (choice.tools ?? [])
    .filter((name) => !offered.has(name))
    .map((name) => ({ path: `${path}.tools`, message: `The site has no tool named ${JSON.stringify(name)}.` }))
}

function assertCombination(fields: Pick<AgentFields, 'trigger' | 'cron' | 'timeZone'>): void {
  const scheduled = fields.trigger === 'scheduled'
  const wrong = (['cron', 'timeZone'] as const).filter((path) => (fields[path] === null) === scheduled)
  if (wrong.length === 0) return
  const message = scheduled
    ? 'A scheduled agent needs "cron" and "timeZone".'
    : 'Only a scheduled agent has "cron" and "timeZone".'
  throw new CodedError('VALIDATION_ERROR', { message, details: wrong.map((path) => ({ path, message })) })
}
