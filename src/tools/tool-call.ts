import { Row } from '../database/row.ts'
import type { CallOutcome } from './call-site.ts'

/** Why a planned call is not sent: it is not its turn at the host, or its credential is dead. */
export type CallWaitCause = 'rate_limit' | 'credential'

type CallStatus = 'planned' | 'started' | 'succeeded' | 'failed' | 'unknown'

/** What came of a tool call. */
interface CallResult {
  /** What the model is told: the site's answer as text, or a sentence about the failure. */
  text: string
  /** Why the outcome is what it is, where that is not obvious from the answer. */
  note?: string
}

/**
 * One tool call, of a run or a direct one (table `tool_calls`): written before the request leaves, so that after any
 * crash it is known whether the site may have seen it. `planned → started → succeeded | failed | unknown`.
 */
export class ToolCall extends Row {
  static override tableName = 'tool_calls'
  static override jsonAttributes = ['arguments', 'result']
  declare id: string
  declare ownerId: string
  declare origin: 'run' | 'direct'
  declare runId: string | null
  declare step: number | null
  declare position: number | null
  declare modelCallId: string | null
  declare name: string
  declare vaultEntryId: string | null
  declare siteOrigin: string | null
  declare tool: string | null
  declare effect: 'read' | 'idempotent' | 'once'
  /** The JSON text of the arguments, as they came. */
  declare arguments: { text: string }
  declare idempotencyKey: string
  declare status: CallStatus
  declare attempts: number
  declare epoch: number
  /** Attempts that the site has refused without doing anything (401, 429): counted among the attempts, too. */
  declare refusedAttempts: number
  /** The latest attempt that is known to have failed; a later one that was begun may have been lost. */
  declare failedAttempt: number | null
  /** The generation of the credential under which the site answered 401 to it; it is sent again under a newer one. */
  declare refusedGeneration: number | null
  /** An attempt at it may have taken effect, although a later one certainly has not. */
  declare inDoubt: boolean
  /** Why, and until when, a planned call is not sent. */
  declare waitCause: CallWaitCause | null
  declare notBefore: Date | null
  declare httpStatus: number | null
  declare result: CallResult | null
  declare plannedAt: Date
  declare startedAt: Date | null
  declare endedAt: Date | null
}

/** Whether nothing more will happen to a call in this state. */
export const isFinal = (status: CallStatus): boolean => status !== 'planned' && status !== 'started'

/** The state of a call after its last attempt. `unknown` is said of what may have taken effect; a read has failed. */
export function statusAfter(
  { effect, inDoubt = false }: Pick<ToolCall, 'effect'> & Partial<Pick<ToolCall, 'inDoubt'>>,
  outcome: CallOutcome,
): 'succeeded' | 'failed' | 'unknown' {
  if (outcome.kind === 'succeeded') return 'succeeded'
  const mayHaveActed = outcome.kind === 'broken' || (outcome.kind === 'unavailable' && !outcome.certain)
  return (mayHaveActed || inDoubt) && effect !== 'read' ? 'unknown' : 'failed'
}
