import { activityInfo } from '@temporalio/activity'
import type { ClaimedRun, Move } from '../workflows/messages.ts'
import { StaleEpochError, type RunRef } from '../src/runs/record.ts'
import type { Ending } from '../src/runs/ending/end.ts'
import type { Services } from '../src/services.ts'
import { perform } from './perform.ts'

type Traced = RunRef & { requestId?: string }

/** What the workflows do to runs. */
export function runActivities({ runs, logger }: Pick<Services, 'runs' | 'logger'>) {
  return {
    /** Claims the agent's next run; null lets its queue end. */
    claimNext: perform<{ agentId: string }, ClaimedRun | null>(logger, ({ agentId }) =>
      runs.queue.claimNext(agentId, activityInfo().workflowExecution?.runId),
    ),

    /** Records how a run ended. Under an older epoch it records nothing: another execution has the run. */
    endRun: perform<Traced & { agentId: string } & Ending, void>(logger, async ({ status, reason, ...ref }) => {
      try {
        await runs.ending.end(ref, { status, reason })
      } catch (error) {
        if (!(error instanceof StaleEpochError)) throw error
        logger.info({ runId: ref.runId, epoch: ref.epoch }, 'an ending under an older epoch was not recorded')
      }
    }),

    /** Makes the run's next model call, or answers from the record. */
    advance: perform<Traced, Move>(logger, (ref, signal) => runs.steps.advance(ref, signal)),

    /** Makes one tool call of a run, or answers from the record. */
    callTool: perform<Traced & { callId: string }, void>(logger, ({ callId, ...ref }, signal) =>
      runs.calls.perform(ref, callId, signal),
    ),
  }
}
