import type { EndedStatus } from '../../../workflows/messages.ts'
import type { EndReason } from '../states.ts'

/** What an agent needs beyond what its workflows do by themselves. `cause` is for the log and for timelines. */
export type Action =
  /** Nothing, until something changes. */
  | { kind: 'rest' }
  /** Nothing until then. */
  | { kind: 'leave'; until: Date }
  /** Its queue row contradicts its runs. */
  | { kind: 'correct'; cause: string }
  /** It was deleted, and has runs that were not asked to end. */
  | { kind: 'cancel' }
  /** A run is ended in the record, under a new epoch, and its workflow is terminated. */
  | {
      kind: 'end'
      runId: string
      status: EndedStatus
      reason: EndReason
      repair: 'cancel-forced' | 'end-run' | null
      cause: string
    }
  /** Its run need not wait any longer. */
  | { kind: 'resume'; runId: string }
  /** Its queue's workflow must be started or woken. */
  | { kind: 'start'; cause: string }
  /** It is stalled: Temporal must be inspected. */
  | { kind: 'inspect' }
  /** Its workflows will not continue: they are fenced off and ended, and its queue is restarted. */
  | { kind: 'restart'; cause: string }
