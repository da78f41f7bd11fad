import { setTimeout as delay } from 'node:timers/promises'
import { NativeConnection, Worker, type WorkerOptions, type WorkflowBundleOption } from '@temporalio/worker'
import { createActivities } from '../activities/index.ts'
import { slotsFor } from '../activities/owner-places.ts'
import type { Loop } from '../src/loop.ts'
import { connectionOptions } from '../src/temporal/temporal.ts'
import { openTunnel } from '../src/temporal/tunnel.ts'
import { toolQueueOf } from '../workflows/messages.ts'
import type { ProcessContext } from './process.ts'

/** The pause before new workers are created after a failure, in milliseconds. */
const retryMs = 2000

interface Polling extends Pick<Loop, 'stop'> {
  /**
   * Whether the workers run, and no connection of theirs has waited for Temporal for more than ten seconds. If a
   * connection stays open and nothing passes, Temporal's core opens a new one after up to 45 seconds, and only that one
   * waits.
   */
  isPolling(): boolean
}

/**
 * Polls for workflow tasks and activities until stopped. If the workers fail, new ones are created after a pause. While
 * Temporal is away, they keep running, and their connection waits (src/temporal/tunnel.ts). Stopping drains: activities
 * get SHUTDOWN_SECONDS to finish.
 */
export function startPolling(context: ProcessContext, workflowBundle: WorkflowBundleOption): Polling {
  const stopping = new AbortController()
  const { signal } = stopping
  let isPolling = (): boolean => false
  const running = (async () => {
    while (!signal.aborted) {
      try {
        await poll(signal, context, workflowBundle, (now) => (isPolling = now))
      } catch (error) {
        context.logger.warn({ err: error }, 'the worker cannot reach Temporal; retrying')
        await delay(retryMs, undefined, { signal }).catch(() => undefined)
      }
    }
  })()
  return {
    isPolling: () => isPolling() && !signal.aborted,
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
  note: (isPolling: () => boolean) => void,
): Promise<void> {
  const { config, logger, services } = context
  await services.temporal.registerSearchAttributes()
  const tunnel = await openTunnel(config.temporal.address, signal)
  try {
    const connection = await NativeConnection.connect({ ...connectionOptions(config.temporal), proxy: tunnel.proxy })
    try {
      const workers = await createWorkers(context, connection, workflowBundle)
      note(() => !tunnel.isHeld())
      logger.info({ taskQueue: config.temporal.taskQueue, timeZoneData: process.versions.tz }, 'polling')
      await runTogether(workers, signal)
    } finally {
      note(() => false)
      await connection.close()
    }
  } finally {
    tunnel.close()
  }
}

/**
 * Heartbeats deliver cancellations, and tell Temporal that a worker is alive. The default interval is four fifths of the
 * timeout. A busy process would miss the timeout.
 */
export const heartbeatThrottle = '2s'

/**
 * Two workers: one for workflows and model calls, which Temporal can then hand out together, and one for tool calls,
 * so that slow sites do not delay models.
 */
async function createWorkers(
  { config, services }: ProcessContext,
  connection: NativeConnection,
  workflowBundle: WorkflowBundleOption,
): Promise<Worker[]> {
  const { namespace, taskQueue } = config.temporal
  const common = {
    connection,
    namespace,
    activities: createActivities(services),
    // Temporal gives one activity to each open poll of a frozen worker, and moves it only when its heartbeat times out.
    // With the default of ten polls, a run could need 90 seconds to move to another worker. A worker with little to do
    // has one open poll.
    activityTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 1, maximum: 3 },
    maxHeartbeatThrottleInterval: heartbeatThrottle,
    maxConcurrentActivityTaskExecutions: slotsFor(config.workerActivities),
    shutdownGraceTime: `${config.shutdownSeconds}s`,
    shutdownForceTime: `${config.shutdownSeconds + 3}s`,
  } satisfies Partial<WorkerOptions>
  const forWorkflows = await Worker.create({
    ...common,
    taskQueue,
    workflowBundle,
    // The same for workflow tasks: each one that a frozen worker has taken waits for its timeout of five seconds. With
    // the default of ten polls at all times and half of the workers frozen, at least one run in twenty waited (npm run
    // long -- neighbours).
    workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 2, maximum: 10 },
    // A workflow task waits this long for the worker that has its workflow in memory. Then any worker may take it. With
    // the default of 10 s, the runs of a killed worker would stall for that long. A replay on another worker is cheap.
    stickyQueueScheduleToStartTimeout: '2s',
  })
  try {
    return [forWorkflows, await Worker.create({ ...common, taskQueue: toolQueueOf(taskQueue) })]
  } catch (error) {
    // A worker keeps its connection until it has run.
    await forWorkflows.runUntil(Promise.resolve())
    throw error
  }
}

/** Runs the workers until the signal aborts or one of them fails, which stops the others. */
async function runTogether(workers: Worker[], signal: AbortSignal): Promise<void> {
  const stop = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
  }
  signal.addEventListener('abort', stop, { once: true })
  const running = workers.map((worker) => worker.run().finally(stop))
  // Stopped during creation: a worker must be shut down, which works only while it runs.
  if (signal.aborted) stop()
  const failed = (await Promise.allSettled(running)).find(({ status }) => status === 'rejected')
  signal.removeEventListener('abort', stop)
  if (failed?.status === 'rejected') throw failed.reason
}
