import { activityInfo } from '@temporalio/activity'
import type { ClaimedRun, Move } from '../workflows/messages.ts'
import { StaleEpochError, type RunRef } from '../src/runs/record.ts'
import type { Ending } from '../src/runs/ending/end-run.ts'
import type { Services } from '../src/services.ts'
import { NoPlaceError, type Places } from '../src/shares/places.ts'
import { ownersPlaces } from './owner-places.ts'
import { perform } from './perform.ts'

type Traced = RunRef & { requestId?: string }

type Owned = Traced & { ownerId: string }

/** Activities on runs. */
export function runActivities({ runs, logger, config }: Pick<Services, 'runs' | 'logger' | 'config'>) {
  const forModels = ownersPlaces(config.workerActivities)
  const forTools = ownersPlaces(config.workerActivities)

  async function inPlace<T>(places: Places, ref: Owned, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      return await places.use(ref.ownerId, signal, work)
    } catch (error) {
      if (error instanceof NoPlaceError) await runs.noteNoPlace(ref, error.of)
      throw error
    }
  }

  return {
    /** Claims the agent's next run; null lets its queue end. */
    claimNext: perform<{ agentId: string }, ClaimedRun | null>(logger, ({ agentId }) =>
      runs.queue.claimNext(agentId, activityInfo().workflowExecution?.runId),
    ),

    /** Records how a run ended. Under an outdated epoch it records nothing, because another execution has the run. */
    endRun: perform<Traced & { agentId: string } & Ending, void>(logger, async ({ status, reason, ...ref }) => {
      try {
        await runs.ending.end(ref, { status, reason })
      } catch (error) {
        if (!(error instanceof StaleEpochError)) throw error
        logger.info({ runId: ref.runId, epoch: ref.epoch }, 'ignored an end-of-run report from an older epoch')
      }
    }),

    /** Makes the run's next model call, or returns the recorded move. */
    advance: perform<Owned, Move>(logger, (ref, signal) =>
      inPlace(forModels, ref, signal, () => runs.steps.advance(ref, signal)),
    ),

    /** Makes one tool call of a run, unless the record already has its outcome. */
    callTool: perform<Owned & { callId: string }, void>(logger, ({ callId, ...ref }, signal) =>
      inPlace(forTools, ref, signal, () => runs.calls.perform(ref, callId, signal)),
    ),
  }
}
