import type { WorkflowBundleOption } from '@temporalio/worker'
import { startLoop, type Loop } from '../src/loop.ts'
import { startLoops, type LoopName } from '../src/loops.ts'
import { startHealth } from './health.ts'
import { startPolling } from './polling.ts'
import { startPresence } from './presence.ts'
import type { ProcessContext } from './process.ts'

/**
 * Starts all work of a worker. The returned function stops it and lets current work finish. Only tests leave loops
 * out, to run them manually.
 */
export function startWork(
  context: ProcessContext,
  workflowBundle: WorkflowBundleOption,
  leftOut: readonly LoopName[] = [],
): () => Promise<void> {
  const { logger, services } = context
  const polling = startPolling(context, workflowBundle)
  void services.models.warmUp()
  const health = startHealth(context, () => polling.isPolling())
  const presence = startLoop('presence', 1, logger, () => services.workers.report(polling.isPolling()))
  const loops = startLoops(services, 'workers', leftOut, services.processes.watch)
  const absent = startPresence(context, 'worker')
  return async () => {
    // A slow callback receiver must not use up the time for activities.
    const delivering = loops.filter(({ name }) => name === 'callbacks')
    const delivered = stopAll(delivering)
    await stopAll([presence, ...loops.filter((loop) => !delivering.includes(loop))])
    // Current work finishes, but no new work starts, so this worker must not count as present.
    await services.workers
      .signOff()
      .catch((error: unknown) => logger.warn({ err: error }, 'failed to deregister the worker'))
    await absent()
    await polling.stop()
    await delivered
    health.stop()
  }
}

const stopAll = (loops: Loop[]): Promise<unknown> => Promise.all(loops.map((loop) => loop.stop()))
