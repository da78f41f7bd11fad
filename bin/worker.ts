import { argv } from 'node:process'
import { DefaultLogger, Runtime } from '@temporalio/worker'
import { startLoop } from '../src/loop.ts'
import type { Services } from '../src/services.ts'
import { bundleWorkflows, startPolling } from './polling.ts'
import { startProcess } from './process.ts'

/**
 * The worker as a process of its own: workflows, activities, the sweeper, and housekeeping. The command line may name a
 * file with the workflow code as `bundleWorkflows` makes it of this very source: that saves the time to make it.
 */
const [, , codePath] = argv

await startProcess('worker', async (context) => {
  const { config, logger, services } = context
  Runtime.install({
    // SIGTERM and SIGINT are handled in one place, for what is around the worker too.
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message }) => logger.warn({ temporal: level }, message)),
  })
  const polling = startPolling(context, codePath === undefined ? await bundleWorkflows() : { codePath })
  const callbacks = startLoop('callbacks', 2, logger, services.deliverCallbacks)
  const loops = [
    startLoop('sweeper', config.sweep.everySeconds, logger, services.sweeper.sweep),
    startLoop('ladder', config.sweep.everySeconds, logger, services.runs.ladder.climb),
    startLoop('reconciler', config.reconcile.everySeconds, logger, services.reconciler.reconcile),
    startLoop('schedules', config.sweep.everySeconds, logger, services.scheduleReconciler.round),
    startLoop('housekeeping', 60, logger, (stopping) => keepHouse(services, stopping)),
    startLoop('mails', 5, logger, services.mails.send),
    startLoop('manifests', 15, logger, services.manifests.checkDue),
    startLoop('keep-alive', 60, logger, services.keepAlive),
    startLoop('presence', 1, logger, () => services.workers.say(polling.isPolling())),
  ]
  return async () => {
    // A receiver may take its time, which is not to be taken from that of the activities.
    const delivered = callbacks.stop()
    await Promise.all(loops.map((loop) => loop.stop()))
    // What is under way is finished, but nothing is taken on: whoever asks whether a worker is there must not count it.
    await services.workers
      .leave()
      .catch((error: unknown) => logger.warn({ err: error }, 'the worker was not signed off'))
    await polling.stop()
    await delivered
  }
})

/** Forgets what is over, and closes what nobody will come back for. Harmless in several processes at once. */
async function keepHouse(services: Services, stopping: AbortSignal): Promise<void> {
  const { rateLimits, outgoingLimit, vault, tools, agents, workers, scheduleReconciler, retention } = services
  await rateLimits.purge(new Date())
  await outgoingLimit.purge()
  await vault.flows.purge()
  await tools.closeAbandoned()
  await workers.purge()
  await scheduleReconciler.purge()
  await agents.forgetFormerSecrets()
  await retention.purge(stopping)
}
