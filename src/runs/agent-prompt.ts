import type { WebhookField } from '../agents/agent.ts'
import { Row } from '../database/row.ts'

/**
 * The instructions of an agent's runs from a sequence on, until the next row (table `agent_prompts`). Written when a run
 * is claimed under new ones, so a run keeps what was in force then, and most runs write none.
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
