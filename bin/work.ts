import type { WorkflowBundleOption } from '@temporalio/worker'
import { startLoop, type Loop } from '../src/loop.ts'
import { startLoops, type LoopName } from '../src/loops.ts'
import { startPolling } from './polling.ts'
import type { ProcessContext } from './process.ts'

/**
 * Does all that a worker does; what comes back stops it, and lets it finish what is under way. Only tests have reason to
 * leave something out: what they do themselves, to see what comes of it.
 */
export function startWork(
  context: ProcessContext,
  workflowBundle: WorkflowBundleOption,
  leftOut: readonly LoopName[] = [],
): () => Promise<void> {
  const { logger, services } = context
  const polling = startPolling(context, workflowBundle)
  const presence = startLoop('presence', 1, logger, () => services.workers.report(polling.isPolling()))
  const loops = startLoops(services, 'workers', leftOut)
  return async () => {
    // A receiver of callbacks may take its time, which is not to be taken from that of the activities.
    const delivering = loops.filter(({ name }) => name === 'callbacks')
    const delivered = stopAll(delivering)
    await stopAll([presence, ...loops.filter((loop) => !delivering.includes(loop))])
    // What is under way is finished, but nothing is taken on: whoever asks whether a worker is there must not count it.
    await services.workers
      .signOff()
      .catch((error: unknown) => logger.warn({ err: error }, 'the worker was not signed off'))
    await polling.stop()
    await delivered
  }
}

const stopAll = (loops: Loop[]): Promise<unknown> => Promise.all(loops.map((loop) => loop.stop()))
