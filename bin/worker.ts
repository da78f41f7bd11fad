import { setTimeout as delay } from 'node:timers/promises'
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { createActivities } from '../activities/index.ts'
import { startLoop } from '../src/loop.ts'
import { connectionOptions } from '../src/temporal.ts'
import { startProcess, type ProcessContext } from './process.ts'

/** Long enough for a worker to lose its server for good, short enough to be back soon after. */
const retrySeconds = 2

/** The worker as a process of its own: workflows, activities, and the sweeper. */
await startProcess('worker', async (context) => {
  const { config, logger, services } = context
  Runtime.install({
    // SIGTERM and SIGINT are handled in one place, for what is around the worker too.
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message }) => logger.warn({ temporal: level }, message)),
  })
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: new URL('../workflows/index.ts', import.meta.url).pathname,
    logger: new DefaultLogger('ERROR', ({ message }) => logger.error(message)),
  })
  const stopping = new AbortController()
  const polling = pollUntil(stopping.signal, context, workflowBundle)
  const sweeping = startLoop('sweeper', config.sweep.everySeconds, logger, services.sweeper.sweep)
  return async () => {
    await sweeping.stop()
    stopping.abort()
    await polling
  }
})

/** Polls until it is told to stop. When Temporal goes away the worker ends; a new one is made until it is back. */
async function pollUntil(
  signal: AbortSignal,
  context: ProcessContext,
  workflowBundle: { code: string },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await poll(signal, context, workflowBundle)
    } catch (error) {
      context.logger.warn({ err: error }, 'the worker lost Temporal and tries again')
      await delay(retrySeconds * 1000, undefined, { signal }).catch(() => undefined)
    }
  }
}

async function poll(signal: AbortSignal, context: ProcessContext, workflowBundle: { code: string }): Promise<void> {
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
      shutdownGraceTime: `${config.shutdownSeconds}s`,
      shutdownForceTime: `${config.shutdownSeconds + 3}s`,
    })
    const stop = () => worker.shutdown()
    signal.addEventListener('abort', stop, { once: true })
    logger.info({ taskQueue: config.temporal.taskQueue }, 'polling')
    await worker.run()
    signal.removeEventListener('abort', stop)
  } finally {
    await connection.close()
  }
}
