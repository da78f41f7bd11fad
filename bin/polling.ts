import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Worker,
  type WorkflowBundle,
  type WorkflowBundleOption,
} from '@temporalio/worker'
import { createActivities } from '../activities/index.ts'
import type { Loop } from '../src/loop.ts'
import { connectionOptions } from '../src/temporal/temporal.ts'
import type { ProcessContext } from './process.ts'

/** Long enough for a worker to let go of a server that is gone, short enough to be back soon after. */
const retryMs = 2000

/** Bundles the workflow code as it runs in Temporal's sandbox, from the project at `root`; takes about a second. */
export const bundleWorkflows = (root = fileURLToPath(new URL('..', import.meta.url))): Promise<WorkflowBundle> =>
  bundleWorkflowCode({
    workflowsPath: join(root, 'workflows/index.ts'),
    logger: new DefaultLogger('ERROR'),
  })

/** What polls, and whether it does at this moment: not while it looks for Temporal. */
interface Polling extends Pick<Loop, 'stop'> {
  isPolling(): boolean
}

/**
 * Polls for workflow tasks and activities until it is stopped. When Temporal goes away the worker ends; a new one is
 * made until Temporal is back. Stopping drains: activities get SHUTDOWN_SECONDS to finish.
 */
export function startPolling(context: ProcessContext, workflowBundle: WorkflowBundleOption): Polling {
  const stopping = new AbortController()
  const { signal } = stopping
  let isPolling = false
  const running = (async () => {
    while (!signal.aborted) {
      try {
        await poll(signal, context, workflowBundle, (now) => (isPolling = now))
      } catch (error) {
        context.logger.warn({ err: error }, 'the worker has no Temporal and tries again')
        await delay(retryMs, undefined, { signal }).catch(() => undefined)
      }
    }
  })()
  return {
    isPolling: () => isPolling && !signal.aborted,
    stop: () => {
      stopping.abort()
      return running
    },
  }
}

async function poll(
  signal: AbortSignal,
  context: ProcessContext,
  workflowBundle: WorkflowBundleOption,
  note: (isPolling: boolean) => void,
): Promise<void> {
  const { config, logger, services } = context
  await services.temporal.registerSearchAttributes()
  const connection = await NativeConnection.connect(connectionOptions(config.temporal))
  try {
    const worker = await Worker.create({
      connection,
      namespace: config.temporal.namespace,
      taskQueue: config.temporal.taskQueue,
      workflowBundle,
      activities: createActivities(services),
      // A workflow task waits this long for the worker that has the workflow in memory before any other may have it. The
      // default of 10 s is what the runs of a killed worker would stand still; replaying a run elsewhere costs little.
      stickyQueueScheduleToStartTimeout: '2s',
      // A worker that freezes takes as many activities with it as it has polls open, each until its heartbeat times out
      // and with a longer pause after each; with the default of ten a run may need a minute and a half to get away.
      activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 3 },
      // Heartbeats carry cancellations back, and by default would come at four fifths of their timeout: too close to it
      // for a busy process.
      maxHeartbeatThrottleInterval: '2s',
      maxConcurrentActivityTaskExecutions: config.workerActivities,
      shutdownGraceTime: `${config.shutdownSeconds}s`,
      shutdownForceTime: `${config.shutdownSeconds + 3}s`,
    })
    const stop = () => worker.shutdown()
    signal.addEventListener('abort', stop, { once: true })
    note(true)
    logger.info({ taskQueue: config.temporal.taskQueue }, 'polling')
    const running = worker.run()
    // Stopped while it was being made: only a worker that runs can be shut down, and it must be.
    if (signal.aborted) stop()
    await running
    signal.removeEventListener('abort', stop)
  } finally {
    note(false)
    await connection.close()
  }
}
