import type { Actor } from '../audit/audit-entry.ts'
import type { Billing } from '../billing/billing.ts'
import type { AccountStatus } from '../billing/account-status.ts'
import { requireFeature } from '../billing/tiers.ts'
import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { fieldsOf } from '../database/row.ts'
import { assertThat } from '../errors.ts'
import { assertModels } from '../models/assert-models.ts'
import type { Outputs } from '../outputs/outputs.ts'
import type { Due } from '../runs/due.ts'
import type { Schedules } from '../schedules/schedules.ts'
import type { VaultEntry } from '../vault/vault-entry.ts'
import { Agent, type AgentWithSites } from './agent.ts'
import {
  assertTrigger,
  completeChanges,
  withCanonicalZone,
  type AgentChanges,
  type AgentFields,
} from './agent-fields.ts'
import { asStored, type AgentSites } from './agent-sites.ts'
import type { CallbackAddress } from './callback-address.ts'
import { fitToSites } from './fit-to-sites.ts'
import { changedFields, versionedOf } from './versioned-fields.ts'
import type { Versions } from './versions.ts'
import type { WebhookSecrets } from './webhook-secrets.ts'

/** Who makes a change, and the version whose fields it restores, if any. */
interface Made {
  by: Actor
  restoredFrom?: number
}

/** What the check of a change needs and is read before the agent is locked. */
interface Facts {
  fields: Partial<Omit<AgentFields, 'sites'>>
  choices: AgentFields['sites'] | undefined
  entries: VaultEntry[]
  standing: AccountStatus | undefined
}

/** A restored agent, and a sentence for each site and tool that could not be restored. */
interface Restored {
  agent: AgentWithSites
  leftOut: string[]
}

/** Changes the fields of agents. Every change that changes something is a version. */
export function createChanges(context: {
  database: Database
  clock: Clock
  billing: Billing
  schedules: Pick<Schedules, 'noteChange' | 'syncSoon'>
  due: Due
  models: { has(name: string): boolean; defaultModel: string }
  outputs: Pick<Outputs, 'assertSchema'>
  sites: AgentSites
  secrets: Pick<WebhookSecrets, 'assertProof'>
  callbackAddress: Pick<CallbackAddress, 'columnsFor'>
  versions: Versions
  get: (ownerId: string, id: string) => Promise<AgentWithSites>
}) {
  const { database, clock, billing, due, schedules, models, outputs, sites, versions } = context

  /** Rejects a change. Called under the row's lock, because two changes may be valid alone but not together. */
  function assertChange(current: Agent, { fields, choices, entries, standing }: Facts, isRestore: boolean): void {
    const after = { ...fieldsOf(current), ...fields }
    assertTrigger(after)
    // A model chosen earlier stays valid even if it is no longer configured.
    const namesModels = fields.model !== undefined || fields.fallbackModel !== undefined
    const keepsModels = after.model === current.model && after.fallbackModel === current.fallbackModel
    if (namesModels && !(isRestore && keepsModels)) assertModels(after, models)
    if (standing && current.trigger !== 'webhook') requireFeature(standing, 'webhooks')
    if (choices) sites.assertSites(entries, choices)
    if (fields.webhookProof) context.secrets.assertProof(fields.webhookProof, current)
  }

  function columnsOf({ id, callbackSecret }: Agent, { fields }: Facts): Partial<Agent> {
    const { callbackUrl } = fields
    const callback =
      callbackUrl === undefined ? {} : context.callbackAddress.columnsFor(id, callbackUrl, callbackSecret)
    return { ...withCanonicalZone(fields), ...callback }
  }

  /** Returns whether the schedule needs a sync. */
  async function changeUnderLock(trx: Transaction, current: Agent, facts: Facts, made: Made): Promise<boolean> {
    const { fields, choices } = facts
    const { id } = current
    const now = clock.now()
    assertChange(current, facts, made.restoredFrom !== undefined)
    const columns = columnsOf(current, facts)
    const before = await sites.withSites(current, trx)
    const after = { ...fieldsOf(before), ...columns, sites: choices ? choices.map(asStored) : before.sites }
    const isNew = changedFields(before, after).length > 0
    const version = isNew ? current.version + 1 : current.version
    await Agent.query(trx)
      .findById(id)
      .patch({ ...columns, version, updatedAt: now })
    if (choices) await sites.store(trx, current, choices)
    if (isNew) await versions.write(trx, { agent: current, version, fields: versionedOf(after), now, ...made })
    // Runs may be waiting for a higher cap.
    if (choices || fields.creditsPerMonth !== undefined) await due.agent(trx, id)
    return schedules.noteChange(trx, current, after, now)
  }

  async function change({ id, ownerId }: Agent, changes: AgentChanges, made: Made): Promise<AgentWithSites> {
    const { sites: choices, ...fields } = completeChanges(changes)
    const standing = fields.trigger === 'webhook' ? await billing.account(ownerId) : undefined
    const entries = choices ? await sites.named(ownerId, choices) : []
    if (fields.outputSchema) await outputs.assertSchema(fields.outputSchema, ownerId)
    const needsSync = await database.transaction(async (trx) => {
      const current = await Agent.query(trx).findById(id).whereNull('deletedAt').forNoKeyUpdate()
      assertThat(current?.ownerId === ownerId, 'AGENT_NOT_FOUND')
      return changeUnderLock(trx, current, { fields, choices, entries, standing }, made)
    })
    if (needsSync) schedules.syncSoon(id)
    return context.get(ownerId, id)
  }

  return {
    /**
     * Changes the named fields. Started runs keep their configuration. Fails with AGENT_NOT_FOUND, TIER_REQUIRED,
     * VALIDATION_ERROR and INVALID_URL, as `create` does, and with VALIDATION_ERROR for a proof that the agent's secret
     * does not fit.
     */
    update: (agent: Agent, changes: AgentChanges, by: Actor = platform): Promise<AgentWithSites> =>
      change(agent, changes, { by }),

    /**
     * Sets all fields to those of an earlier version, which makes a new version unless the agent has them already.
     * Leaves out sites that are no longer connected, and tools that their sites no longer have. Fails as `update` does,
     * and with NOT_FOUND for a version that is not kept.
     */
    async restore(agent: Agent, number: string, by: Actor): Promise<Restored> {
      const { version, fields } = await versions.get(agent, number)
      const { choices, leftOut } = fitToSites(fields.sites, await sites.toolNames(agent.ownerId, fields.sites))
      const restored = await change(agent, { ...fields, sites: choices }, { by, restoredFrom: version })
      return { agent: restored, leftOut }
    },
  }
}

/** The actor of a change that no request makes. */
export const platform: Actor = { userId: null, via: 'platform' }
