import type { Agent } from '../agents/agent.ts'
import type { AgentQueue } from '../runs/agent-queue.ts'
import type { Run } from '../runs/run.ts'

/** An agent with its queue, as the rules read it. */
export type AgentState = Pick<
  Agent,
  | 'id'
  | 'ownerId'
  | 'name'
  | 'trigger'
  | 'model'
  | 'pausedAt'
  | 'pausedReason'
  | 'exceedingSince'
  | 'movedSequence'
  | 'creditsLeft'
> &
  Pick<AgentQueue, 'unfinished' | 'lastSequence' | 'blockedCause' | 'blockedSince'> & {
    /** The first unfinished run: the one that has begun, or else the next one. */
    first: FirstRun | null
  }

export type FirstRun = Pick<
  Run,
  | 'id'
  | 'agentId'
  | 'sequence'
  | 'trigger'
  | 'status'
  | 'acceptedAt'
  | 'startedAt'
  | 'waitingCause'
  | 'waitingFor'
  | 'waitingSince'
  | 'waitingUntil'
>

/** The begun runs that wait for a site or a model. */
export const waitingFor = (agents: readonly AgentState[], cause: 'credential' | 'model', what: string): FirstRun[] =>
  agents.flatMap(({ first }) => (first?.waitingCause === cause && first.waitingFor === what ? [first] : []))
