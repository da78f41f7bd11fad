import type { EndedStatus } from '../../../workflows/messages.ts'
import type { EndReason } from '../states.ts'

/** What an agent needs, apart from what its workflows do by themselves. `cause` is for the log, and for timelines. */
export type Action =
  /** Nothing, until something changes. */
  | { kind: 'rest' }
  /** Nothing yet; it is looked at again then. */
  | { kind: 'leave'; until: Date }
  /** Its queue row contradicts its runs. */
  | { kind: 'correct'; cause: string }
  /** It was deleted, and has runs that nobody has asked to end. */
  | { kind: 'cancel' }
  /** A run ends in the record, under a new epoch, and its workflow is terminated. */
  | {
      kind: 'end'
      runId: string
      status: EndedStatus
      reason: EndReason
      repair: 'cancel-forced' | 'end-run' | null
      cause: string
    }
  /** What its run waits for has come. */
  | { kind: 'resume'; runId: string }
  /** Its queue's workflow is to be started, or told to look at the record. */
  | { kind: 'start'; cause: string }
  /** It is stalled: it has to be seen what Temporal has. */
  | { kind: 'inspect' }
  /** What Temporal has of it will not go on: that is fenced off and ended, and its queue started again. */
  | { kind: 'restart'; cause: string }
