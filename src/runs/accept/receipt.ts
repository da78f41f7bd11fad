import type { Trigger } from '../../../workflows/messages.ts'
import type { RunStatus } from '../states.ts'

/** A run that somebody asks for. */
export interface AcceptRequest {
  agentId: string
  trigger: Trigger
  requestId: string
  /** The payload as it came. */
  payload?: string | undefined
  /** SHA-256 of the body in hex; tells a repeated delivery from another one under the same key. */
  bodyHash?: string | undefined
  idempotencyKey?: string | undefined
  /** Where the request has its key: the name of a header, or a dotted path in the body. */
  keyPlace?: string | undefined
  /** Refuse with AGENT_ALREADY_RUNNING while the agent has an unfinished run (manual runs). */
  onlyIfIdle?: boolean
  /** Where the agent has an unfinished run, the run is put on record as `skipped` (fires of a schedule). */
  skipUnlessIdle?: boolean
  /** The finished run whose payload is given to this one again. */
  replayOf?: string | undefined
}

/** What the one who asked gets back. */
export interface Receipt {
  runId: string
  status: RunStatus
  /** Position in the agent's order of arrival, from 1 without gaps. */
  sequence: number
  /** Unfinished runs of the agent in front of this one. */
  ahead: number
}
