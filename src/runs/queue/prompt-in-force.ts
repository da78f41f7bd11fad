import type { WebhookField } from '../../agents/agent.ts'
import type { Row } from '../../database/row.ts'
import type { AgentPrompt } from '../agent-prompt.ts'
import type { Run } from '../run.ts'

/** The instructions of one run. */
export interface PromptInForce {
  systemPrompt: string
  /** Whether the payload's `action` replaced the agent's system prompt, or why it did not. */
  override: 'used' | 'not-allowed' | 'absent'
  schema: WebhookField[] | null
  /** The chosen model, null for the default one, and the fallback model. */
  model: string | null
  fallbackModel: string | null
  outputSchema: object | null
  summarizes: boolean
}

/**
 * A run's instructions: the agent's, or the payload's `action` if the agent allows the override (docs/specification.md,
 * "Inbound webhook events", 5).
 */
export function promptInForce(
  trigger: Run['trigger'],
  input: { action: string | null } | undefined,
  agent: Omit<AgentPrompt, keyof Row | 'agentId' | 'sinceSequence'>,
): PromptInForce {
  const action = input?.action ?? null
  const { systemPrompt, model, fallbackModel, outputSchema, summarizes } = agent
  const schema = trigger === 'webhook' ? agent.webhookSchema : null
  const base = { systemPrompt, schema, model, fallbackModel, outputSchema, summarizes }
  if (action === null) return { ...base, override: 'absent' }
  if (!agent.allowActionOverride) return { ...base, override: 'not-allowed' }
  return { ...base, systemPrompt: action, override: 'used' }
}
