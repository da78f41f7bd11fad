/**
 * The contract between whoever starts workflows and the workflows: ids, names, inputs. Only identifiers, enums, counts
 * and times may stand in them: Temporal keeps them readable in its histories.
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
  /** Steps that are recorded already when this execution begins. */
  steps: number
  requestId: string
}

export type Trigger = 'manual' | 'scheduled' | 'webhook'

export const agentQueueId = (agentId: string): string => `agent/${agentId}`
export const agentRunId = (runId: string): string => `run/${runId}`

/** The queue's only signal. It says "look at the record" and carries nothing. */
export const wakeSignal = 'wake'

/** A waiting run's signal. It says "look at the record again" and carries nothing. */
export const resumeSignal = 'resume'

/** Search attributes that are set at the start of every workflow; Temporal must know them beforehand. */
export const searchAttributes = {
  agent: { name: 'AgentId', type: 'KEYWORD' },
  owner: { name: 'OwnerId', type: 'KEYWORD' },
  trigger: { name: 'Trigger', type: 'KEYWORD' },
} as const

/** One tool call that a workflow is to have made: its id, and a label for operators. */
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

/** What a run waits for: its turn at a site's host, or its owner, who has to connect a site anew. */
export type WaitCause = 'rate_limit' | 'credential'

export type EndedStatus = 'completed' | 'failed' | 'cancelled'
