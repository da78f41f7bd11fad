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

/** For queries on runs that have not ended: their indexes are on the status, not on `ended_at`. */
export const unfinishedStatuses = runStatuses.filter((status) => !hasEnded(status))

/** Whether the table allows the transition. */
export const mayTransition = (from: RunStatus, to: RunStatus): boolean =>
  (transitions[from] as readonly string[]).includes(to)

/** Why a run ended if not by the model finishing: the code that clients see in `reason`, and its sentence. */
export const endReasons = {
  CANCELLED_BY_OWNER: 'The run was cancelled by its owner.',
  CANCELLED_BY_OPERATOR: 'The run was cancelled by an operator of the platform.',
  SKIPPED_BY_OWNER: 'The run was skipped by its owner so that the next one could start.',
  WITHDRAWN: 'The delivery was withdrawn by its sender before its run started.',
  OVERLAP: 'The agent still had an unfinished run when its schedule fired.',
  AGENT_DELETED: 'The agent was deleted.',
  TERMINATED: 'The run was terminated in Temporal by an operator.',
  TIMED_OUT: 'The run exceeded its time limit in Temporal.',
  WORKFLOW_FAILED: 'The workflow of the run failed.',
  MODEL_ERROR:
    'The AI provider returned an error or no usable answer, and asking again did not help or was not possible.',
  MODEL_UNAVAILABLE:
    'The AI model could not be used for as long as a run waits for it, a day by default. The agent is paused, and its queue is kept; resume it when the model answers again.',
  OUTPUT_INVALID: "The model's answer did not fit the agent's output schema, also after it was told what was wrong.",
  STEP_ABANDONED: 'A model step was started several times and never finished.',
  NO_CREDITS: 'There were no credits left, or a limit of the month was used up, for longer than a run waits for that.',
  TIER_REQUIRED: 'The subscription tier no longer included webhooks and was not upgraded in time.',
  SUBSCRIPTION_PAST_DUE: 'The subscription payment was overdue and was not made in time.',
  BUDGET_STEPS: 'The run used up its budget of steps.',
  BUDGET_TOOL_CALLS: 'The run used up its budget of tool calls.',
  BUDGET_TOKENS: 'The run used up its budget of tokens.',
  BUDGET_CREDITS: 'The run used up its budget of credits.',
  BUDGET_TIME: 'The run used up its budget of time.',
  SITE_NOT_RECONNECTED: 'The owner did not reconnect a site in time.',
  WAITED_TOO_LONG: 'The run waited too long for its turn at a site that takes a limited number of calls.',
  REPEATED_TOOL_CALL: 'The model made the same tool call five times in a row.',
} as const satisfies Record<string, string>

export type EndReason = keyof typeof endReasons

/** The final status of a run that was asked to end. */
export const cancelledAs = (reason: EndReason | null): 'skipped' | 'cancelled' =>
  reason === 'SKIPPED_BY_OWNER' ? 'skipped' : 'cancelled'
