/** The states of a run and the transitions between them (docs/understand/how-it-works.md, "The states of a run"). */
const transitions = {
  queued: ['running', 'cancelled', 'failed', 'skipped'],
  running: ['waiting', 'completed', 'failed', 'cancelled', 'skipped'],
  waiting: ['running', 'failed', 'cancelled', 'skipped'],
  completed: [],
  failed: [],
  cancelled: [],
  skipped: [],
} as const satisfies Record<string, readonly string[]>

export type RunStatus = keyof typeof transitions

export const runStatuses = Object.keys(transitions) as [RunStatus, ...RunStatus[]]

/** Whether a run in this state has ended; an ended run never changes again. */
export const hasEnded = (status: RunStatus): boolean => transitions[status].length === 0

/** For queries on unfinished runs: their indexes are on the status, not on `ended_at`. */
export const unfinishedStatuses = runStatuses.filter((status) => !hasEnded(status))

/** Whether the table allows the transition. */
export const mayTransition = (from: RunStatus, to: RunStatus): boolean =>
  (transitions[from] as readonly string[]).includes(to)

/** Why a run ended without completing: the code in `reason`, and its sentence. */
export const endReasons = {
  CANCELLED_BY_OWNER: 'The owner cancelled the run.',
  CANCELLED_BY_OPERATOR: 'A platform operator cancelled the run.',
  SKIPPED_BY_OWNER: 'The owner skipped the run so that the next one could start.',
  WITHDRAWN: 'The sender withdrew the delivery before its run started.',
  OVERLAP: 'The agent still had an unfinished run when this run was due.',
  AGENT_DELETED: 'The agent was deleted.',
  TERMINATED: 'An operator terminated the run in Temporal.',
  TIMED_OUT: 'The run exceeded its time limit in Temporal.',
  WORKFLOW_FAILED: "The run's workflow failed.",
  MODEL_ERROR: 'The AI provider returned an error or an unusable answer. Retrying did not help or was not possible.',
  MODEL_UNAVAILABLE:
    'The AI model was unavailable for longer than a run can wait (one day by default). The agent is paused, and its queued runs are retained. Resume the agent when the model is available again.',
  OUTPUT_INVALID: "The model's answer did not match the agent's output schema, even after a correction.",
  STEP_ABANDONED: 'A model step started several times and never finished.',
  NO_CREDITS: 'The run waited too long for credits, or for a monthly limit to reset.',
  TIER_REQUIRED: 'The tier no longer included this kind of agent, or workspaces, and was not upgraded in time.',
  SUBSCRIPTION_PAST_DUE: 'The overdue subscription payment was not made in time.',
  BUDGET_STEPS: 'The run reached its step limit.',
  BUDGET_TOOL_CALLS: 'The run reached its tool call limit.',
  BUDGET_TOKENS: 'The run reached its token limit.',
  BUDGET_CREDITS: 'The run reached its credit limit.',
  BUDGET_TIME: 'The run reached its time limit.',
  SITE_NOT_RECONNECTED: 'The owner did not reconnect a site in time.',
  WAITED_TOO_LONG: "The run waited too long because of a site's rate limit.",
  REPEATED_TOOL_CALL: 'The model made the same tool call five times in a row.',
} as const satisfies Record<string, string>

export type EndReason = keyof typeof endReasons

/** The final status of a run with a cancel request. */
export const cancelledAs = (reason: EndReason | null): 'skipped' | 'cancelled' =>
  reason === 'SKIPPED_BY_OWNER' ? 'skipped' : 'cancelled'
