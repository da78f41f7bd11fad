import { DefaultLogger, Runtime } from '@temporalio/worker'
import { startLoop } from '../src/loop.ts'
import { bundleWorkflows, startPolling } from './polling.ts'
import { startProcess } from './process.ts'

/** The worker as a process of its own: workflows, activities, the sweeper, and housekeeping. */
await startProcess('worker', async (context) => {
  const { config, logger, services } = context
  Runtime.install({
    // SIGTERM and SIGINT are handled in one place, for what is around the worker too.
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message }) => logger.warn({ temporal: level }, message)),
  })
  const polling = startPolling(context, await bundleWorkflows())
  const sweeping = startLoop('sweeper', config.sweep.everySeconds, logger, services.sweeper.sweep)
  const keeping = startLoop('housekeeping', 60, logger, () => services.rateLimits.purge(new Date()))
  return async () => {
    await Promise.all([sweeping.stop(), keeping.stop()])
    await polling.stop()
  }
})
