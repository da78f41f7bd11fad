import type { Trigger } from '../../workflows/messages.ts'
import { Row } from '../database/row.ts'

/** One field of a webhook schema. */
export interface WebhookField {
  name: string
  type: 'string' | 'number' | 'boolean' | 'object' | 'array'
  required: boolean
  description?: string | undefined
}

/** Kinds of proof for webhook senders. Few can set `X-Webhook-Secret`; most have their own signature. */
export const webhookProofs = ['secret', 'standard-webhooks', 'github', 'gitlab', 'stripe', 'shopify', 'slack'] as const
export type WebhookProof = (typeof webhookProofs)[number]

/**
 * Why the platform pauses an agent: its model was unavailable for a day, or the database was restored while it had
 * unfinished runs.
 */
export const pauseReasons = ['MODEL_UNAVAILABLE', 'RESTORED'] as const
export type PauseReason = (typeof pauseReasons)[number]

/** An agent (table `agents`). */
export class Agent extends Row {
  static override tableName = 'agents'
  static override jsonAttributes = ['webhookSchema', 'outputSchema']
  declare id: string
  declare ownerId: string
  declare name: string
  declare systemPrompt: string
  declare trigger: Trigger
  declare cron: string | null
  declare timeZone: string | null
  /** Sealed. Every agent has one, so that a change of the trigger keeps it. */
  declare webhookSecret: string
  declare webhookSchema: WebhookField[] | null
  declare allowActionOverride: boolean
  declare webhookProof: WebhookProof
  /** Sealed. The previous secret is valid until that time. */
  declare previousWebhookSecret: string | null
  declare previousWebhookSecretUntil: Date | null
  /** The address of callbacks, and the sealed secret that signs them. */
  declare callbackUrl: string | null
  declare callbackSecret: string | null
  /** The configured model, or null for the default one, and the fallback model. */
  declare model: string | null
  declare fallbackModel: string | null
  /** The JSON Schema for answers. */
  declare outputSchema: object | null
  /** Whether a run that is too long for its model summarises its first steps. */
  declare summarizes: boolean
  /** Credits that its runs may use per month; null for no cap. */
  declare creditsPerMonth: number | null
  /** The rest of this month's cap, if it was read with the agent. */
  declare creditsLeft: number | null
  /** Whether its owner wants to know when its usual deliveries do not come. */
  declare watchSilence: boolean
  /** The number of its latest version: how often its fields have changed, from 1. */
  declare version: number
  /** Since when it is paused. A paused agent starts nothing, and new runs are queued. */
  declare pausedAt: Date | null
  /** Why it was paused; null if its owner paused it. */
  declare pausedReason: PauseReason | null
  /** Since when it exceeds the tier's limits. It was paused then, unless it already was. */
  declare exceedingSince: Date | null
  /** The user who created it; null if unknown. */
  declare createdBy: string | null
  /** When it came from another owner, and its last run there. The present owner does not see earlier runs. */
  declare movedAt: Date | null
  declare movedSequence: number | null
  declare createdAt: Date
  declare updatedAt: Date
  declare deletedAt: Date | null
}

/** A connected site that an agent may use (table `agent_sites`). */
export class AgentSite extends Row {
  static override tableName = 'agent_sites'
  static override idColumn = ['agentId', 'vaultEntryId']
  static override jsonAttributes = ['tools', 'askFirst']
  declare agentId: string
  declare vaultEntryId: string
  declare position: number
  /** Tools it may use; null for all of the site's tools. */
  declare tools: string[] | null
  /** Tools whose calls need an approval; null for none. */
  declare askFirst: string[] | null
}

/** An agent as its owner sees it. */
export type AgentWithSites = Agent & {
  sites: (Pick<AgentSite, 'vaultEntryId' | 'tools'> & { askFirst: string[] })[]
}
