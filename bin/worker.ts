import { DefaultLogger, Runtime } from '@temporalio/worker'
import { startLoop } from '../src/loop.ts'
import type { Services } from '../src/services.ts'
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
  const loops = [
    startLoop('sweeper', config.sweep.everySeconds, logger, services.sweeper.sweep),
    startLoop('housekeeping', 60, logger, () => keepHouse(services)),
    startLoop('mails', 5, logger, services.mails.send),
    startLoop('manifests', 15, logger, services.manifests.checkDue),
    startLoop('keep-alive', 60, logger, services.keepAlive),
  ]
  return async () => {
    await Promise.all(loops.map((loop) => loop.stop()))
    await polling.stop()
  }
})

/** Forgets what is over, and closes what nobody will come back for. Harmless in several processes at once. */
async function keepHouse({ rateLimits, outgoingLimit, vault, tools }: Services): Promise<void> {
  await rateLimits.purge(new Date())
  await outgoingLimit.purge()
  await vault.flows.purge()
  await tools.closeAbandoned()
}
