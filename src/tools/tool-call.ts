import { Row } from '../database/row.ts'
import type { CallOutcome } from './call-outcome.ts'
import type { Job } from './job.ts'

/** What a call waits for: a slot at the host, a credential, an approval, or the end of a job. */
export type CallWaitCause = 'rate_limit' | 'credential' | 'approval' | 'job'

export const callStatuses = ['planned', 'started', 'succeeded', 'failed', 'unknown'] as const
type CallStatus = (typeof callStatuses)[number]

/**
 * The common part of direct calls and those of runs and answers. The row is written before the request is sent, so after any crash it
 * is known whether the site may have received it. `planned → started → succeeded | failed | unknown`.
 */
class Call extends Row {
  static override anyTexts = ['arguments', 'result']
  static override jsonAttributes = ['job']
  declare id: string
  declare vaultEntryId: string | null
  declare siteOrigin: string | null
  declare tool: string | null
  declare effect: 'read' | 'idempotent' | 'once'
  declare arguments: string
  declare status: CallStatus
  declare attempts: number
  /** Refused attempts (401, 429); `attempts` includes them. */
  declare refusedAttempts: number
  /** The generation of the credential that the site refused with 401. The call is sent again under a newer one. */
  declare refusedGeneration: number | null
  declare httpStatus: number | null
  /**
   * The result that the model sees: the site's response as text, or a sentence about the failure; null if unreadable.
   */
  declare result: string | null
  /** What the site works on since it has accepted the call. It is kept when the call has ended. */
  declare job: Job | null
  declare plannedAt: Date
  declare startedAt: Date | null
  declare endedAt: Date | null
}

/** A tool call that a user makes directly (table `direct_tool_calls`). */
export class DirectToolCall extends Call {
  static override tableName = 'direct_tool_calls'
  declare ownerId: string
  /** The client's key, while a repeated request gets this call's outcome. */
  declare idempotencyKey: string | null
}

/** A tool call of a run or an answer (table `tool_calls`, partitioned by `subjectId`: every query names it). */
export class ToolCall extends Call {
  static override tableName = 'tool_calls'
  static override idColumn = ['subjectId', 'step', 'position']
  /** The run, or the answer of a chat. */
  declare subjectId: string
  declare step: number
  declare position: number
  declare modelCallId: string | null
  declare name: string
  /** Somebody was asked to approve it when it was planned. */
  declare asksFirst: boolean
  /** The latest attempt that certainly failed. A later one may have been lost. */
  declare failedAttempt: number | null
  /** An attempt may have taken effect, although a later one certainly did not. */
  declare inDoubt: boolean
  /** Attempts that the site answered with a form; `attempts` includes them. */
  declare forms: number
  declare waitCause: CallWaitCause | null
  declare notBefore: Date | null
}

/** The `Idempotency-Key` of a run's call: the same at every attempt, different for every call. */
export const idempotencyKeyOf = ({
  subjectId,
  step,
  position,
}: Pick<ToolCall, 'subjectId' | 'step' | 'position'>): string => `${subjectId}:${step}:${position}`

export const recordedResult = (outcome: CallOutcome): string | null => (outcome.kind === 'unread' ? null : outcome.text)

export const isFinal = (status: CallStatus): boolean => status !== 'planned' && status !== 'started'

/** The state of a call after its last attempt. A call that may have taken effect is `unknown`; a read is `failed`. */
export function statusAfter(
  { effect, inDoubt = false }: Pick<ToolCall, 'effect'> & Partial<Pick<ToolCall, 'inDoubt'>>,
  outcome: CallOutcome,
): 'succeeded' | 'failed' | 'unknown' {
  if (outcome.kind === 'succeeded' || outcome.kind === 'unread') return 'succeeded'
  const mayHaveActed = outcome.kind === 'broken' || (outcome.kind === 'unavailable' && !outcome.certain)
  return (mayHaveActed || inDoubt) && effect !== 'read' ? 'unknown' : 'failed'
}
