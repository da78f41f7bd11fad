import type { FormAnswer } from '../forms/form.ts'
import type { ToolCall } from './tool-call.ts'

/** A call as it is sent. */
export interface Sending {
  callId: string
  ownerId: string
  entryId: string
  tool: string
  arguments: string
  idempotencyKey: string
  /** The key of a fair share of the host: the owner, and after a slash an agent, chats or direct calls. */
  share: string
  /** Whether the call may be sent later, when it has a slot. */
  mayWait: boolean
  /** How long `send` itself waits for a slot, in milliseconds. */
  patienceMs?: number
  refusedGeneration: number | null
  /** What a person has answered to the last question of the site. */
  answer?: FormAnswer | undefined
  /** What the site works on: then nothing is sent but a request about that. */
  job?: string | undefined
  /** Secrets besides the token to mask in the outcome. */
  secrets?: readonly string[] | undefined
  signal?: AbortSignal | undefined
}

/** What is sent of a recorded call. */
export const sendingOf = (
  { id, vaultEntryId, tool, arguments: args, refusedGeneration, job }: SentCall,
  rest: Omit<Sending, 'callId' | 'entryId' | 'tool' | 'arguments' | 'refusedGeneration' | 'job'>,
): Sending => ({
  ...rest,
  callId: id,
  entryId: vaultEntryId ?? '',
  tool: tool ?? '',
  arguments: args,
  refusedGeneration,
  job: job?.state,
})

type SentCall = Pick<ToolCall, 'id' | 'vaultEntryId' | 'tool' | 'arguments' | 'refusedGeneration' | 'job'>
