import type { WebhookField } from '../agents/agent.ts'
import { Row } from '../database/row.ts'
import type { Trigger, WaitCause } from '../../workflows/messages.ts'
import type { EndReason, RunStatus } from './states.ts'

/** The instructions of a run, fixed when it is claimed. */
export interface PromptInForce {
  systemPrompt: string
  /** Whether the payload's `action` replaced the agent's system prompt, or why it did not. */
  override: 'used' | 'not-allowed' | 'absent'
  schema: WebhookField[] | null
}

/** One execution of an agent (table `runs`). */
export class Run extends Row {
  static override tableName = 'runs'
  static override jsonAttributes = ['prompt']
  declare id: string
  declare agentId: string
  declare ownerId: string
  declare sequence: number
  declare trigger: Trigger
  declare status: RunStatus
  declare payload: string | null
  declare bodyHash: string | null
  declare idempotencyKey: string | null
  declare requestId: string
  declare epoch: number
  declare prompt: PromptInForce | null
  declare steps: number
  /** Attempts at the step that is not recorded yet: how many count, and the number of the latest, from 1. */
  declare stepAttempts: number
  declare attempt: number
  declare attemptedAt: Date | null
  /** The latest attempt known to have failed, its error, and when the provider allows a retry. */
  declare failedAttempt: number | null
  declare failedAt: Date | null
  declare failure: string | null
  declare retryAt: Date | null
  declare toolCalls: number
  declare inputTokens: number
  declare outputTokens: number
  declare credits: number
  /** What it waits for (`waitingFor` is the site), since when, and until when at most; all null unless it waits. */
  declare waitingCause: WaitCause | null
  declare waitingFor: string | null
  declare waitingSince: Date | null
  declare waitingUntil: Date | null
  /** How long its earlier waits took, in milliseconds; its minutes exclude them. */
  declare waitedMs: number
  /** The finished run that this one replays. */
  declare replayOf: string | null
  declare events: number
  declare reason: EndReason | null
  declare error: string | null
  declare acceptedAt: Date
  declare startedAt: Date | null
  declare cancelRequestedAt: Date | null
  declare cancelReason: EndReason | null
  declare progressedAt: Date
  declare endedAt: Date | null
}

/** The columns of a step without attempts. */
export const noAttempt = {
  stepAttempts: 0,
  attempt: 0,
  attemptedAt: null,
  failedAttempt: null,
  failedAt: null,
  failure: null,
  retryAt: null,
}

/** All columns except payload and prompt, which may be large and are rarely needed. */
export const runFacts = [
  'id',
  'agentId',
  'ownerId',
  'sequence',
  'trigger',
  'status',
  'bodyHash',
  'idempotencyKey',
  'requestId',
  'epoch',
  'steps',
  'stepAttempts',
  'attempt',
  'attemptedAt',
  'failedAttempt',
  'failedAt',
  'failure',
  'retryAt',
  'toolCalls',
  'inputTokens',
  'outputTokens',
  'credits',
  'waitingCause',
  'waitingFor',
  'waitingSince',
  'waitingUntil',
  'waitedMs',
  'replayOf',
  'events',
  'reason',
  'error',
  'acceptedAt',
  'startedAt',
  'cancelRequestedAt',
  'cancelReason',
  'progressedAt',
  'endedAt',
] as const satisfies (keyof Run)[]

export type RunFacts = Pick<Run, (typeof runFacts)[number]>
