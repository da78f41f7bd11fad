import type { Approval } from '../../src/approvals/approval.ts'
import { assertThat, CodedError } from '../../src/errors.ts'
import type { Run } from '../../src/runs/run.ts'
import type { McpUser } from './mcp-user.ts'

/** What a run has asked, for the request that brings the answers. */
export interface AskedState {
  runId: string
  agentId: string
  /** The arguments that were shown, as `argumentsHash` of each approval. */
  shown: Record<string, string>
}

/** A state counts for the same credential of the same user, and for the same owner. */
const placeOf = ({ userId, ownerId, caller }: McpUser) => ({
  id: [userId, ownerId, caller.apiKeyId ?? caller.appId].join(' '),
  column: 'mcp_request_state',
})

/** What these approvals of a run ask, as the client carries it: sealed, and of use until the last of them expires. */
export function sealState(user: McpUser, { id: runId, agentId }: Run, asked: readonly Approval[]): string {
  const shown = Object.fromEntries(asked.map(({ id, argumentsHash }) => [id, argumentsHash]))
  const until = Math.max(...asked.map(({ expiresAt }) => expiresAt.getTime()))
  return user.services.sealing.seal(JSON.stringify({ runId, agentId, shown, until }), placeOf(user))
}

/** The state that a client brings back. VALIDATION_ERROR if it is too old, another credential's, or not ours. */
export function openState(user: McpUser, sealed: string): AskedState {
  const { until, ...state } = JSON.parse(openText(user, sealed)) as AskedState & { until: number }
  if (user.services.clock.now().getTime() > until) throw refused()
  return state
}

function openText(user: McpUser, sealed: string): string {
  try {
    return user.services.sealing.open(sealed, placeOf(user))
  } catch (cause) {
    throw refused(cause)
  }
}

/** Refuses the state of another agent's tool: VALIDATION_ERROR. */
export function assertAsked(state: AskedState | undefined, agent: { id: string }): void {
  assertThat(state === undefined || state.agentId === agent.id, 'VALIDATION_ERROR', { message })
}

const message = 'The requestState is invalid or too old. Call the tool again.'
const refused = (cause?: unknown): CodedError => new CodedError('VALIDATION_ERROR', { message, cause })
