import type { Trigger } from '../../workflows/messages.ts'
import { Row } from '../database/row.ts'

/** One field of a webhook schema. */
export interface WebhookField {
  name: string
  type: 'string' | 'number' | 'boolean' | 'object' | 'array'
  required: boolean
  description?: string | undefined
}

/** The kinds of proof that webhook senders use. Few can set `X-Webhook-Secret`: most have their own signature. */
export const webhookProofs = ['secret', 'standard-webhooks', 'github', 'gitlab', 'stripe', 'shopify', 'slack'] as const
export type WebhookProof = (typeof webhookProofs)[number]

/** Why the platform pauses an agent: its model could not be used for a day. */
export type PauseReason = 'MODEL_UNAVAILABLE'

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
  /** Sealed. Every agent has one, so a change of the trigger keeps it. */
  declare webhookSecret: string
  declare webhookSchema: WebhookField[] | null
  declare allowActionOverride: boolean
  declare webhookProof: WebhookProof
  /** Sealed. The previous secret stays valid until that time. */
  declare previousWebhookSecret: string | null
  declare previousWebhookSecretUntil: Date | null
  /** Where callbacks are posted, and the sealed secret that signs them. */
  declare callbackUrl: string | null
  declare callbackSecret: string | null
  /** The name of a configured model, or null for the default one; and the one that is asked if that fails. */
  declare model: string | null
  declare fallbackModel: string | null
  /** The JSON Schema that answers have to fit. */
  declare outputSchema: object | null
  /** Whether a run that has become too long for its model summarises its first steps. */
  declare summarizes: boolean
  /** How many credits its runs may use in a month; null for as many as there are. */
  declare creditsPerMonth: number | null
  /** What that leaves of this month, if it was read with the agent. */
  declare creditsLeft: number | null
  /** Since then nothing is started; new runs are queued. */
  declare pausedAt: Date | null
  /** Why it was paused, if its owner did not pause it. */
  declare pausedReason: PauseReason | null
  /** Since when the tier does not allow for it; it was paused then, unless it was paused before. */
  declare exceedingSince: Date | null
  /** Who made it; null if that is not known. */
  declare createdBy: string | null
  /** When it came from another owner, and its last run there; what was before is not shown to the present owner. */
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
  /** The tools it may use; null for all of the site's tools. */
  declare tools: string[] | null
  /** The tools that are called only once somebody has approved the call; null for none. */
  declare askFirst: string[] | null
}

/** An agent as its owner sees it. */
export type AgentWithSites = Agent & {
  sites: (Pick<AgentSite, 'vaultEntryId' | 'tools'> & { askFirst: string[] })[]
}
