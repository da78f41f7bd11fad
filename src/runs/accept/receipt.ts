import type { Trigger } from '../../../workflows/messages.ts'
import type { RunStatus } from '../states.ts'

/**
 * The state that a delivery was judged by (`delivery_versions`), the tokens that its account may use this month, and when
 * the state ends by time alone, in milliseconds since 1970.
 */
interface Judgement {
  version: string
  tokensPerMonth: number
  until: number
}

/** A request for a run. */
export interface AcceptRequest {
  agentId: string
  /** The owner whose permissions were checked; AGENT_NOT_FOUND if the agent has moved. Absent: any owner. */
  ownerId?: string | undefined
  /** What a delivery was judged by. The request is `stale` if that has changed when the run would be created. */
  judgedBy?: Judgement | undefined
  trigger: Trigger
  requestId: string
  /** The span in which it was accepted, added when it is accepted. */
  traceparent?: string | undefined
  /** The payload as received, or the JSON text of a manual run's input. */
  payload?: string | undefined
  /** Instructions in the payload that may replace the agent's prompt. */
  action?: string | undefined
  /** The sender's headers about the payload. */
  headers?: Record<string, string> | undefined
  /** SHA-256 of the body in hex. A repeated request has the same key and hash. */
  bodyHash?: string | undefined
  idempotencyKey?: string | undefined
  /** Where the key was found: a header name, or a dotted path in the body. */
  keyPlace?: string | undefined
  /** Refuse with AGENT_ALREADY_RUNNING while the agent has an unfinished run. For manual runs. */
  onlyIfIdle?: boolean
  /** Record the run as `skipped` while the agent has an unfinished run. For schedule fires. */
  skipUnlessIdle?: boolean
  /** The finished run that this one replays. */
  replayOf?: string | undefined
  /** Set if the replay has a payload or input of its own instead of the finished run's. */
  edited?: true | undefined
}

/** The response to a request for a run. */
export interface Receipt {
  runId: string
  status: RunStatus
  /** Position among the agent's runs in order of arrival, from 1, without gaps. */
  sequence: number
  /** The agent's unfinished runs ahead of this one. */
  ahead: number
}
