/**
 * The contract between workflows and their callers: ids, names, inputs. They may contain only identifiers, enums,
 * counts and times, because Temporal keeps them readable in its histories. The one exception is an agent's name, which
 * operators need to find anything.
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
  /** The epoch that this execution acts under; the record refuses writes of an older one. */
  epoch: number
  /** Steps already recorded when this execution begins. */
  steps: number
  requestId: string
}

/** A run as its queue claims it. The name is for operators, and no input of the run's workflow. */
export interface ClaimedRun extends AgentRunInput {
  /** In quotation marks, on one line and bounded. */
  agentName: string
}

/** The input of a fire of a scheduled agent. */
export interface CronTickInput {
  agentId: string
  ownerId: string
  /** The generation of the schedule that fired; the record refuses fires of an older one. */
  generation: number
}

/**
 * The outcome of one fire: how the ledger records it, or why it does not: an older generation of the schedule fired
 * (`stale`), the agent is no longer scheduled (`gone`), the expression does not fire at this time (`none`).
 */
export type FireOutcome = 'ran' | 'skipped' | 'missed' | 'stale' | 'gone' | 'none'

export type Trigger = 'manual' | 'scheduled' | 'webhook'

export const agentQueueId = (agentId: string): string => `agent/${agentId}`
/** The id of an agent's schedule, and the prefix of the ids of the workflows that its fires start. */
export const scheduleId = (agentId: string): string => `cron/${agentId}`
/** The agent of a schedule, by the schedule's id; undefined if it is not ours. */
export const agentOfSchedule = (id: string): string | undefined =>
  id.startsWith('cron/') ? id.slice('cron/'.length) : undefined
/**
 * The task queue of tool calls, beside the one of workflows and model calls: calls to slow sites must not use up the
 * places of models.
 */
export const toolQueueOf = (taskQueue: string): string => `${taskQueue}-tools`
export const agentRunId = (runId: string): string => `run/${runId}`

/** The queue's only signal. It says "look at the record" and carries nothing. */
export const wakeSignal = 'wake'

/** A waiting run's signal. It says "look at the record again" and carries nothing. */
export const resumeSignal = 'resume'

/** Search attributes of the workflows, for operators. Temporal must know them beforehand. */
export const searchAttributes = {
  agent: { name: 'AgentId', type: 'KEYWORD' },
  owner: { name: 'OwnerId', type: 'KEYWORD' },
  trigger: { name: 'Trigger', type: 'KEYWORD' },
  /** What a run waits for (`WaitCause`); not set while it does not wait. */
  waitingFor: { name: 'WaitingFor', type: 'KEYWORD' },
} as const

/** One tool call that a workflow makes: its id, and a label for operators. */
export interface PlannedCall {
  callId: string
  /** `<site name>.<tool name>` of a strict pattern, or empty. */
  label: string
}

/** What a run does next; the record decides, the workflow obeys. */
export type Move =
  | { kind: 'model'; step: number }
  | { kind: 'tools'; step: number; calls: PlannedCall[] }
  | { kind: 'wait'; cause: WaitCause; ms: number }
  | { kind: 'end'; status: EndedStatus; reason: EndReason | null }

/**
 * What a run waits for: its turn at a site's host, its model, or its owner, who has to reconnect a site, approve a call,
 * resume the agent, or get credits.
 */
export type WaitCause = 'rate_limit' | 'credential' | 'approval' | 'paused' | 'credits' | 'model'

export type EndedStatus = 'completed' | 'failed' | 'cancelled' | 'skipped'
