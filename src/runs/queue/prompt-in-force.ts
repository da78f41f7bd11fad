import type { AgentForRun } from '../../agents/agents.ts'
import type { PromptInForce, Run } from '../run.ts'

/**
 * The instructions of a run: the agent's, or the payload's `action` if the agent allows the override
 * (docs/specification.md, "Inbound webhook events", 5).
 */
export function promptInForce(run: Pick<Run, 'payload' | 'trigger'>, agent: AgentForRun): PromptInForce {
  const action = run.trigger === 'webhook' ? actionOf(run.payload) : undefined
  const base = { systemPrompt: agent.systemPrompt, schema: run.trigger === 'webhook' ? agent.webhookSchema : null }
  if (action === undefined) return { ...base, override: 'absent' }
  if (!agent.allowActionOverride) return { ...base, override: 'not-allowed' }
  return { ...base, systemPrompt: action, override: 'used' }
}

function actionOf(payload: string | null): string | undefined {
  if (payload === null) return undefined
  const { action } = JSON.parse(payload) as { action?: unknown }
  return typeof action === 'string' && action.trim() !== '' ? action : undefined
}
