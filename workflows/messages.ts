/**
 * The contract between workflows and their callers: ids, names, inputs. Only identifiers, enums, counts and times are
 * allowed, because Temporal keeps them readable in its histories. The one exception is an agent's name, which operators
 * need to find anything.
 */

import type { EndReason } from '../src/runs/states.ts'

export interface AgentQueueInput {
  agentId: string
  ownerId: string
}

export interface AgentRunInput {
  runId: string
  agentId: string
  ownerId: string
  trigger: Trigger
  sequence: number
  /** The epoch of this execution. The record refuses writes under an older one. */
  epoch: number
  /** Steps recorded before this execution began. */
  steps: number
  requestId: string
  /** The execution of the queue for which the ending claims the agent's next run; null if it claims none. */
  claimant: string | null
}

/** A run as its queue claims it. The name is for operators; the run's workflow does not get it. */
export interface ClaimedRun extends Omit<AgentRunInput, 'claimant'> {
  /** In quotation marks, on one line and bounded. */
  agentName: string
}

/** The input of a fire of a scheduled agent. */
export interface CronTickInput {
  agentId: string
  ownerId: string
  /** The generation of the schedule that fired. */
  generation: number
}

/**
 * The outcome of one fire: how the ledger records it, or why it does not: an older generation of the schedule fired
 * (`stale`), the agent is no longer scheduled (`gone`), the expression does not fire at this time (`none`).
 */
export type FireOutcome = 'ran' | 'skipped' | 'missed' | 'stale' | 'gone' | 'none'

/**
 * How long a worker may take for a task of a queue or a run. A task that is lost with its worker's connection stands
 * still for that long. Temporal's default is 10 s. It does not limit an activity that runs inside the task.
 */
export const workflowTaskTimeout = '5s' as const

export type Trigger = 'manual' | 'scheduled' | 'webhook'

export const agentQueueId = (agentId: string): string => `agent/${agentId}`
/** The id of an agent's schedule, and the prefix of the ids of the workflows that its fires start. */
export const scheduleId = (agentId: string): string => `cron/${agentId}`
/** The agent of a schedule id; undefined if the id is not ours. */
export const agentOfSchedule = (id: string): string | undefined =>
  id.startsWith('cron/') ? id.slice('cron/'.length) : undefined
/**
 * The task queue of tool calls. Separate from workflows and model calls, so that slow sites do not use up the places of
 * models.
 */
export const toolQueueOf = (taskQueue: string): string => `${taskQueue}-tools`
export const agentRunId = (runId: string): string => `run/${runId}`

/** The queue's only signal. It means "check the record" and carries nothing. */
export const wakeSignal = 'wake'

/** A waiting run's signal. It means "check the record again" and carries nothing. */
export const resumeSignal = 'resume'

/** Search attributes of the workflows, for operators. Temporal must know them in advance. */
export const searchAttributes = {
  agent: { name: 'AgentId', type: 'KEYWORD' },
  owner: { name: 'OwnerId', type: 'KEYWORD' },
  trigger: { name: 'Trigger', type: 'KEYWORD' },
  /** What a run waits for (`WaitCause`); unset while it does not wait. */
  waitingFor: { name: 'WaitingFor', type: 'KEYWORD' },
} as const

/** A tool call that a workflow makes: its id, and a label for operators. */
export interface PlannedCall {
  callId: string
  /** `<site name>.<tool name>` of a strict pattern, or empty. */
  label: string
}

/** A run's next move. The record decides; the workflow obeys. */
export type Move =
  | { kind: 'model'; step: number }
  | { kind: 'tools'; step: number; calls: PlannedCall[] }
  | { kind: 'wait'; cause: WaitCause; ms: number }
  | { kind: 'end'; status: EndedStatus; reason: EndReason | null }

/** The result of a step: the run's next move. An ending is recorded already. */
export type Step = Exclude<Move, { kind: 'end' }> | (Extract<Move, { kind: 'end' }> & { next: Next })

/**
 * What a queue does after a run: carry out the next one, which was claimed with the ending. Null: the record has none.
 * Undefined: the queue has to ask.
 */
export type Next = ClaimedRun | null | undefined

/**
 * What a run waits for: a slot at a site's host, the end of a call that a site works on, its model, or its owner (to
 * reconnect a site, approve a call, resume the agent, or get credits).
 */
export type WaitCause = 'rate_limit' | 'credential' | 'approval' | 'job' | 'paused' | 'credits' | 'model'

export type EndedStatus = 'completed' | 'failed' | 'cancelled' | 'skipped'
