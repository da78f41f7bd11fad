import type { QueryBuilder } from 'objection'
import type { Actor } from '../audit/audit-entry.ts'
import { howToGetMore } from '../billing/allowances.ts'
import type { Billing } from '../billing/billing.ts'
import { requireFeature } from '../billing/tiers.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { batchLookups } from '../database/batch-lookups.ts'
import { selecting } from '../database/row.ts'
import { statement } from '../database/statement.ts'
import { isId, newId } from '../ids.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { assertModels } from '../models/assert-models.ts'
import { AgentQueue } from '../runs/agent-queue.ts'
import type { Outputs } from '../outputs/outputs.ts'
import type { Due } from '../runs/due.ts'
import type { Schedules } from '../schedules/schedules.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { paidWith } from '../owners/payer.ts'
import { listOf, type Owners } from '../owners/reach.ts'
import { lockOwner } from '../users/user.ts'
import type { Vault } from '../vault/vault.ts'
import { Agent, type AgentWithSites } from './agent.ts'
import { assertTrigger, withCanonicalZone, type AgentFields } from './agent-fields.ts'
import { createAgentSites } from './agent-sites.ts'
import { createCallbackAddress } from './callback-address.ts'
import { createChanges, platform } from './changes.ts'
import { createKnownSecrets } from './known-secrets.ts'
import { createOfferOf } from './offer-of.ts'
import { createLifecycle } from './lifecycle.ts'
import { versionedOf } from './versioned-fields.ts'
import { createVersions } from './versions.ts'
import { createWebhookSecrets } from './webhook-secrets.ts'

/** What a starting run takes from its agent. */
export type AgentForRun = Pick<
  Agent,
  | 'id'
  | 'ownerId'
  | 'name'
  | 'pausedAt'
  | 'creditsPerMonth'
  | 'systemPrompt'
  | 'webhookSchema'
  | 'allowActionOverride'
  | 'model'
  | 'fallbackModel'
  | 'outputSchema'
  | 'summarizes'
  | 'version'
>

/** Agents: what an owner configures, and what runs and webhooks read. */
export function createAgents(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'sites'>
  sealing: Sealing
  billing: Billing
  vault: Vault
  schedules: Schedules
  due: Due
  models: { has(name: string): boolean; defaultModel: string }
  outputs: Pick<Outputs, 'assertSchema'>
}) {
  const { database, clock, billing, schedules, models, outputs } = context
  const sites = createAgentSites(context)
  const secrets = createWebhookSecrets({ ...context, get })
  const callbackAddress = createCallbackAddress(context)
  const known = createKnownSecrets({
    ...context,
    goodSecretsOf: (agent) => secrets.goodSecretsOf(agent),
    callbackSecretOf: callbackAddress.secretOf,
  })

  const versions = createVersions(context)

  const living = (db: Database | Transaction) => Agent.query(db).whereNull('deletedAt')

  const livingById = batchLookups<string, Agent>(async (ids) => {
    const found = await living(database).findByIds(ids)
    return new Map(found.map((agent) => [agent.id, agent]))
  })

  async function get(owners: Owners, id: string): Promise<AgentWithSites> {
    const agent = isId(id) ? await living(database).whereIn('ownerId', listOf(owners)).findOne({ id }) : undefined
    assertThat(agent, 'AGENT_NOT_FOUND')
    return sites.withSites(agent)
  }

  return {
    ...secrets,
    ...known,
    ...createLifecycle({ ...context, get }),
    ...createChanges({ ...context, sites, secrets, callbackAddress, versions, get }),
    versions,
    get,
    offerOf: createOfferOf({ ...context, secretsIn: known.secretsIn }),

    /**
     * Fails with TIER_REQUIRED, AGENT_LIMIT_REACHED, VALIDATION_ERROR (an incomplete trigger, an unusable output
     * schema, unknown models, sites or tools), INVALID_URL (the callback address).
     */
    async create(
      ownerId: string,
      { sites: choices, ...fields }: AgentFields,
      by: Actor = platform,
    ): Promise<AgentWithSites> {
      assertTrigger(fields)
      assertModels(fields, models)
      if (fields.outputSchema) await outputs.assertSchema(fields.outputSchema, ownerId)
      const standing = await billing.account(ownerId)
      if (fields.trigger === 'webhook') requireFeature(standing, 'webhooks')
      sites.assertSites(await sites.named(ownerId, choices), choices)
      const id = newId()
      const now = clock.now()
      await database.transaction(async (trx) => {
        await lockOwner(trx, ownerId)
        // The payer may have changed.
        const { limits } = await billing.account(ownerId, trx)
        const count = await living(trx).whereIn('ownerId', paidWith(ownerId)).resultSize()
        const message = `The paying account already has ${count} agents, including those in its workspaces, and its limit is ${limits.agents}. ${howToGetMore}`
        assertThat(count < limits.agents, 'AGENT_LIMIT_REACHED', { message })
        const webhookSecret = secrets.newSealedSecret(id)
        const callback = callbackAddress.columnsFor(id, fields.callbackUrl, null)
        const made = { createdBy: by.userId, createdAt: now, updatedAt: now }
        await Agent.query(trx).insert({
          id,
          ownerId,
          ...withCanonicalZone(fields),
          ...callback,
          webhookSecret,
          ...made,
        })
        await AgentQueue.query(trx).insert({ agentId: id, progressedAt: now, signalledAt: now })
        await sites.store(trx, { id, ownerId }, choices)
        const agent = await living(trx).findById(id).throwIfNotFound()
        const written = versionedOf(await sites.withSites(agent, trx))
        await versions.write(trx, { agent, version: agent.version, fields: written, by, now })
        await schedules.noteChange(trx, undefined, agent, now)
      })
      if (fields.trigger === 'scheduled') schedules.syncSoon(id)
      return get(ownerId, id)
    },

    /** The secret that signs the agent's callbacks; null if it never had a callback address. */
    callbackSecretOf: callbackAddress.secretOf,

    /**
     * Replaces the secret that signs the agent's callbacks. Takes effect immediately. Fails with VALIDATION_ERROR for
     * an agent without a callback address, and AGENT_NOT_FOUND.
     */
    async rotateCallbackSecret({ id, ownerId, callbackUrl }: Agent): Promise<AgentWithSites> {
      const message = 'The agent has no callbackUrl, so it has no callback secret to rotate.'
      assertThat(callbackUrl !== null, 'VALIDATION_ERROR', { message })
      const callbackSecret = callbackAddress.newSealedSecret(id)
      await database.transaction(async (trx) =>
        living(trx).findById(id).where({ ownerId }).patch({ callbackSecret, updatedAt: clock.now() }),
      )
      return get(ownerId, id)
    },

    list: (
      ownerId: string,
      {
        vaultEntryId,
        ...request
      }: PageRequest & { trigger?: Agent['trigger'] | undefined; vaultEntryId?: string | undefined },
    ): Promise<Page<Agent>> =>
      page(living(database).where({ ownerId }).modify(usingSite, vaultEntryId), {
        list: 'agents',
        time: 'createdAt',
        ...request,
        only: { trigger: request.trigger },
      }),

    /** The owner's agents whose ids end with these characters. There is one, hardly ever more. */
    endingWith: async (ownerId: string, idEnd: string): Promise<Agent[]> =>
      living(database).where({ ownerId }).whereRaw('right(id::text, ?) = ?', [idEnd.length, idEnd]),

    /** The agent whose deliveries a sender reads, whatever its current trigger. AGENT_NOT_FOUND. */
    async forSender(id: string): Promise<Agent> {
      const agent = isId(id) ? await livingById(id) : undefined
      assertThat(agent, 'AGENT_NOT_FOUND')
      return agent
    },

    /** What a starting run takes from the agent; undefined if the agent is gone. */
    async forRun(trx: Transaction, id: string): Promise<AgentForRun | undefined> {
      const { rows } = await forRunStatement(trx, { id })
      return rows[0]
    },
  }
}

const forRunFields = Object.keys({
  id: 0,
  ownerId: 0,
  name: 0,
  pausedAt: 0,
  creditsPerMonth: 0,
  systemPrompt: 0,
  webhookSchema: 0,
  allowActionOverride: 0,
  model: 0,
  fallbackModel: 0,
  outputSchema: 0,
  summarizes: 0,
  version: 0,
} satisfies Record<keyof AgentForRun, 0>)

const forRunStatement = statement<AgentForRun>(`
  select ${selecting(forRunFields, 'a')} from agents a where a.id = :id and a.deleted_at is null`)

/** Restricts a list to agents that can use a site, if one is named. */
function usingSite(query: QueryBuilder<Agent, Agent[]>, vaultEntryId: string | undefined): void {
  if (vaultEntryId === undefined) return
  if (!isId(vaultEntryId)) void query.whereRaw('false')
  else
    void query.whereRaw('exists (select from agent_sites s where s.agent_id = agents.id and s.vault_entry_id = ?)', [
      vaultEntryId,
    ])
}

export type Agents = ReturnType<typeof createAgents>
