import { activityInfo } from '@temporalio/activity'
import type { ClaimedRun, Move, Step } from '../workflows/messages.ts'
import { StaleEpochError, type RunRef } from '../src/runs/record.ts'
import type { Ending } from '../src/runs/ending/end-run.ts'
import type { Services } from '../src/services.ts'
import { NoPlaceError, type Places } from '../src/shares/places.ts'
import { ownersPlaces } from './owner-places.ts'
import { perform } from './perform.ts'

type Traced = RunRef & { requestId?: string }

type Owned = Traced & { ownerId: string }

type Ended = Traced & { agentId: string }

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

  /** Under an outdated epoch this records nothing, because another execution has the run. */
  async function ifCurrent<T>({ runId, epoch }: RunRef, record: () => Promise<T>): Promise<T | undefined> {
    try {
      return await record()
    } catch (error) {
      if (!(error instanceof StaleEpochError)) throw error
      logger.info({ runId, epoch }, 'ignored an end-of-run report from an older epoch')
      return undefined
    }
  }

  async function endIfOver(move: Move, ref: Ended & { claimant: string | null }): Promise<Step> {
    if (move.kind !== 'end') return move
    return { ...move, next: await ifCurrent(ref, () => runs.ending.endAndClaim(ref, move, ref.claimant)) }
  }

  return {
    /** Claims the agent's next run; null lets its queue end. */
    claimNext: perform<{ agentId: string }, ClaimedRun | null>(logger, ({ agentId }) =>
      runs.queue.claimNext(agentId, activityInfo().workflowExecution?.runId),
    ),

    /** Records how a run ended whose steps could not record it. */
    endRun: perform<Ended & Ending, void>(logger, ({ status, reason, ...ref }) =>
      ifCurrent(ref, () => runs.ending.end(ref, { status, reason })),
    ),

    /** Makes the run's next model call, or returns the recorded move. If that is its end, records it. */
    advance: perform<Owned & Ended & { claimant: string | null }, Step>(logger, async (ref, signal) =>
      runs.traces.below(ref.runId, async () =>
        endIfOver(await inPlace(forModels, ref, signal, () => runs.steps.advance(ref, signal)), ref),
      ),
    ),

    /** Makes one tool call of a run, unless the record already has its outcome. */
    callTool: perform<Owned & { callId: string }, void>(logger, ({ callId, ...ref }, signal) =>
      runs.traces.below(ref.runId, () => inPlace(forTools, ref, signal, () => runs.calls.perform(ref, callId, signal))),
    ),
  }
}
