import type { Trigger } from '../../../workflows/messages.ts'
import type { RunStatus } from '../states.ts'

/** A request for a run. */
export interface AcceptRequest {
  agentId: string
  /** The owner for whom somebody asks who may; AGENT_NOT_FOUND if it was moved in the meantime. Absent: whoever has the agent. */
  ownerId?: string | undefined
  trigger: Trigger
  requestId: string
  /** The payload as received, or the JSON text of a manual run's input. */
  payload?: string | undefined
  /** What a payload would have the agent do instead. */
  action?: string | undefined
  /** What the sender said about the payload in headers. */
  headers?: Record<string, string> | undefined
  /** SHA-256 of the body in hex; a repeated request has the same key and the same hash. */
  bodyHash?: string | undefined
  idempotencyKey?: string | undefined
  /** Where the key is: the name of a header, or a dotted path in the body. */
  keyPlace?: string | undefined
  /** Refuse with AGENT_ALREADY_RUNNING while the agent has an unfinished run (manual runs). */
  onlyIfIdle?: boolean
  /** Record the run as `skipped` if the agent has an unfinished run (fires of a schedule). */
  skipUnlessIdle?: boolean
  /** The finished run that this one replays. */
  replayOf?: string | undefined
}

/** The answer to a request for a run. */
export interface Receipt {
  runId: string
  status: RunStatus
  /** Position in the agent's order of arrival, from 1 without gaps. */
  sequence: number
  /** Unfinished runs of the agent ahead of this one. */
  ahead: number
}
