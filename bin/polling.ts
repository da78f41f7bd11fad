import { setTimeout as delay } from 'node:timers/promises'
import { NativeConnection, Worker, type WorkerOptions, type WorkflowBundleOption } from '@temporalio/worker'
import { createActivities } from '../activities/index.ts'
import { slotsFor } from '../activities/owner-places.ts'
import type { Loop } from '../src/loop.ts'
import { connectionOptions } from '../src/temporal/temporal.ts'
import { openTunnel } from '../src/temporal/tunnel.ts'
import { toolQueueOf } from '../workflows/messages.ts'
import type { ProcessContext } from './process.ts'

/** Long enough for a worker to release a lost server, short enough to return soon after. */
const retryMs = 2000

/** A poller, and whether it polls now. It does not poll while it reconnects to Temporal. */
interface Polling extends Pick<Loop, 'stop'> {
  isPolling(): boolean
}

/**
 * Polls for workflow tasks and activities until stopped. When Temporal goes away, the worker ends, and new ones are
 * created until Temporal is back. Stopping drains: activities get SHUTDOWN_SECONDS to finish.
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
        context.logger.warn({ err: error }, 'the worker cannot reach Temporal; retrying')
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
  const tunnel = await openTunnel(config.temporal.address, signal)
  try {
    const connection = await connectThrough(tunnel.address, config.temporal)
    try {
      const workers = await createWorkers(context, connection, workflowBundle)
      note(true)
      logger.info({ taskQueue: config.temporal.taskQueue, timeZoneData: process.versions.tz }, 'polling')
      await runTogether(workers, signal)
    } finally {
      note(false)
      await connection.close()
    }
  } finally {
    tunnel.close()
  }
}

const connectThrough = (targetHost: string, config: ProcessContext['config']['temporal']) =>
  NativeConnection.connect({ ...connectionOptions(config), proxy: { type: 'http-connect', targetHost } })

/**
 * Heartbeats deliver cancellations, and tell Temporal that a worker lives. Their default interval, four fifths of the
 * timeout, is too close for a busy process.
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
    // A frozen worker takes along as many activities as it has open polls, each until its heartbeat times out, with
    // longer pauses each time. With the default of ten, a run could need 90 seconds to move to another worker. A worker
    // with little to do has one open poll.
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
    // The same: each workflow task that a frozen worker takes along waits five seconds, its timeout. With the default,
    // ten polls all the time, half of the workers took along so many that at least every twentieth run did (npm run
    // long -- neighbours).
    workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 2, maximum: 10 },
    // A workflow task waits this long for the worker that has the workflow in memory before another worker may take
    // it. With the default of 10 s, the runs of a killed worker would stall for that long. A replay elsewhere costs
    // little.
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
