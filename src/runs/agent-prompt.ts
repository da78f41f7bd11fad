import type { WebhookField } from '../agents/agent.ts'
import { Row } from '../database/row.ts'

/**
 * The instructions of an agent's runs from a sequence until the next row (table `agent_prompts`). Written when a run is
 * claimed under changed instructions, so each run keeps its own and most write none.
 */
export class AgentPrompt extends Row {
  static override tableName = 'agent_prompts'
  static override idColumn = ['agentId', 'sinceSequence']
  static override jsonAttributes = ['webhookSchema', 'outputSchema']
  declare agentId: string
  declare sinceSequence: number
  declare systemPrompt: string
  declare webhookSchema: WebhookField[] | null
  declare allowActionOverride: boolean
  declare model: string | null
  declare fallbackModel: string | null
  declare outputSchema: object | null
  declare summarizes: boolean
}

/** The fields of a row that are instructions. */
export const promptFields = [
  'systemPrompt',
  'webhookSchema',
  'allowActionOverride',
  'model',
  'fallbackModel',
  'outputSchema',
  'summarizes',
] as const satisfies (keyof AgentPrompt)[]
