/** The states of a run and the moves between them (docs/design.md, "Runs"). */
const moves = {
  queued: ['running', 'cancelled', 'failed', 'skipped'],
  running: ['waiting', 'completed', 'failed', 'cancelled', 'skipped'],
  waiting: ['running', 'failed', 'cancelled', 'skipped'],
  completed: [],
  failed: [],
  cancelled: [],
  skipped: [],
} as const satisfies Record<string, readonly string[]>

export type RunStatus = keyof typeof moves

export const runStatuses = Object.keys(moves) as [RunStatus, ...RunStatus[]]

/** Whether a run in this state has ended; an ended run never changes again. */
export const hasEnded = (status: RunStatus): boolean => moves[status].length === 0

/** For questions about runs that have not ended: the indexes that know these runs go by the state, not by `ended_at`. */
export const unfinishedStatuses = runStatuses.filter((status) => !hasEnded(status))

/** Whether the table allows the move. */
export const mayMove = (from: RunStatus, to: RunStatus): boolean => (moves[from] as readonly string[]).includes(to)

/** Why a run ended otherwise than by the model finishing: the name that clients see in `reason`, and its sentence. */
export const endReasons = {
  CANCELLED_BY_OWNER: 'The run was cancelled by its owner.',
  CANCELLED_BY_OPERATOR: 'The run was cancelled in Temporal by an operator.',
  SKIPPED_BY_OWNER: 'The run was skipped by its owner, so that the next one could go on.',
  WITHDRAWN: 'The delivery was withdrawn by its sender before it was its turn.',
  OVERLAP: 'The agent still had an unfinished run when its schedule fired.',
  AGENT_DELETED: 'The agent was deleted.',
  TERMINATED: 'The run was terminated in Temporal by an operator.',
  TIMED_OUT: 'The run took longer than Temporal was told to allow.',
  WORKFLOW_FAILED: 'The workflow of the run failed.',
  MODEL_ERROR: 'The AI provider returned an error, also when it was asked again.',
  MODEL_STOPPED: 'The model stopped before it had finished its answer.',
  STEP_ABANDONED: 'A model step was begun several times and never came to an end.',
  NO_CREDITS: 'The credit balance was used up, and was not topped up in time.',
  TIER_REQUIRED: 'The subscription tier did not include webhooks any more, and was not raised in time.',
  SUBSCRIPTION_PAST_DUE: 'The subscription payment was overdue, and was not paid in time.',
  PAUSED_TOO_LONG: 'The agent was paused for longer than a run that has begun can wait.',
  BUDGET_STEPS: 'The run used up its budget of steps.',
  BUDGET_TOOL_CALLS: 'The run used up its budget of tool calls.',
  BUDGET_TOKENS: 'The run used up its budget of tokens.',
  BUDGET_CREDITS: 'The run used up its budget of credits.',
  BUDGET_TIME: 'The run used up its budget of time.',
  SITE_NOT_RECONNECTED: 'A site had to be connected anew by its owner, and was not in time.',
  WAITED_TOO_LONG: 'The run had to wait longer than it may for a site that takes a limited number of calls.',
  REPEATED_TOOL_CALL: 'The model made the same tool call five times in a row.',
} as const satisfies Record<string, string>

export type EndReason = keyof typeof endReasons

/** How a run ends that somebody has asked to end. */
export const cancelledAs = (reason: EndReason | null): 'skipped' | 'cancelled' =>
  reason === 'SKIPPED_BY_OWNER' ? 'skipped' : 'cancelled'
