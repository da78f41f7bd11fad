import type { EndedStatus } from '../../../workflows/messages.ts'
import type { EndReason } from '../states.ts'

/** What an agent needs beyond its workflows' own work. `cause` is for logs and timelines. */
export type Action =
  /** Nothing until something changes. */
  | { kind: 'rest' }
  /** Nothing until this time. */
  | { kind: 'leave'; until: Date }
  /** Correct a queue row that contradicts its runs. */
  | { kind: 'correct'; cause: string }
  /** Cancel the runs of a deleted agent. */
  | { kind: 'cancel' }
  /** End a run in the record under a new epoch, and terminate its workflow. */
  | {
      kind: 'end'
      runId: string
      status: EndedStatus
      reason: EndReason
      repair: 'cancel-forced' | 'end-run' | null
      cause: string
    }
  /** Resume a run whose wait is over. */
  | { kind: 'resume'; runId: string }
  /** Start or wake the queue's workflow. */
  | { kind: 'start'; cause: string }
  /** Inspect Temporal, because the agent is stalled. */
  | { kind: 'inspect' }
  /** Fence off and end workflows that will not continue, and restart the queue. */
  | { kind: 'restart'; cause: string }
