import type { Pojo } from 'objection'
import { Row } from '../database/row.ts'
import type { CallOutcome } from './call-site.ts'

/** Why a planned call is not sent: it has no slot at the host, or its credential is dead. */
export type CallWaitCause = 'rate_limit' | 'credential'

type CallStatus = 'planned' | 'started' | 'succeeded' | 'failed' | 'unknown'

/** The result of a tool call. */
interface CallResult {
  /** What the model sees: the site's response as text, or a sentence about the failure. */
  text: string
  /** The reason for the outcome, if the response does not show it. */
  note?: string
}

/**
 * One tool call, of a run or a direct one (table `tool_calls`). It is written before the request is sent, so that after
 * any crash it is known whether the site may have seen it. `planned → started → succeeded | failed | unknown`.
 */
export class ToolCall extends Row {
  static override tableName = 'tool_calls'
  static override jsonAttributes = ['arguments', 'result']
  /** Workers of the release before this one still write the column by its old name. */
  static override columnNameMappers = {
    parse: ({ harmless, ...row }: Pojo) => ({ ...row, ...(harmless !== undefined && { refusedAttempts: harmless }) }),
    format: ({ refusedAttempts, ...row }: Pojo) => ({
      ...row,
      ...(refusedAttempts !== undefined && { harmless: refusedAttempts }),
    }),
  }
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
  /** The JSON text of the arguments, unchanged. */
  declare arguments: { text: string }
  declare idempotencyKey: string
  declare status: CallStatus
  declare attempts: number
  declare epoch: number
  /** Refused attempts (401, 429); `attempts` includes them. */
  declare refusedAttempts: number
  /** The latest attempt that is known to have failed; a later one may have been lost. */
  declare failedAttempt: number | null
  /** The generation of the credential that the site answered with 401; the call is sent again under a newer one. */
  declare refusedGeneration: number | null
  /** An attempt may have taken effect, although a later one certainly has not. */
  declare inDoubt: boolean
  /** Why a planned call waits, and until when. */
  declare waitCause: CallWaitCause | null
  declare notBefore: Date | null
  declare httpStatus: number | null
  declare result: CallResult | null
  declare plannedAt: Date
  declare startedAt: Date | null
  declare endedAt: Date | null
}

/** Whether a call in this state is over. */
export const isFinal = (status: CallStatus): boolean => status !== 'planned' && status !== 'started'

/** The state of a call after its last attempt. A call that may have taken effect is `unknown`; a read is `failed`. */
export function statusAfter(
  { effect, inDoubt = false }: Pick<ToolCall, 'effect'> & Partial<Pick<ToolCall, 'inDoubt'>>,
  outcome: CallOutcome,
): 'succeeded' | 'failed' | 'unknown' {
  if (outcome.kind === 'succeeded') return 'succeeded'
  const mayHaveActed = outcome.kind === 'broken' || (outcome.kind === 'unavailable' && !outcome.certain)
  return (mayHaveActed || inDoubt) && effect !== 'read' ? 'unknown' : 'failed'
}
