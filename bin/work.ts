import type { WorkflowBundleOption } from '@temporalio/worker'
import { startLoop, type Loop } from '../src/loop.ts'
import type { Services } from '../src/services.ts'
import { startPolling, type Polling } from './polling.ts'
import type { ProcessContext } from './process.ts'

/** What a worker does again and again, besides carrying out runs. */
export type Duty = keyof ReturnType<typeof dutiesOf>

interface Round {
  everySeconds: number
  work: (stopping: AbortSignal) => Promise<void>
}

const dutiesOf = ({ config: { sweep, reconcile }, services }: ProcessContext, polling: Polling) =>
  ({
    callbacks: { everySeconds: 2, work: services.deliverCallbacks },
    sweeper: { everySeconds: sweep.everySeconds, work: services.sweeper.sweep },
    ladder: { everySeconds: sweep.everySeconds, work: services.runs.ladder.climb },
    reconciler: { everySeconds: reconcile.everySeconds, work: services.reconciler.reconcile },
    schedules: { everySeconds: sweep.everySeconds, work: services.scheduleReconciler.round },
    housekeeping: { everySeconds: 60, work: (stopping) => keepHouse(services, stopping) },
    mails: { everySeconds: 5, work: services.mails.send },
    manifests: { everySeconds: 15, work: services.manifests.checkDue },
    'keep-alive': { everySeconds: 60, work: services.keepAlive },
    presence: { everySeconds: 1, work: () => services.workers.say(polling.isPolling()) },
  }) satisfies Record<string, Round>

/**
 * Does all that a worker does; what comes back stops it, and lets it finish what is under way. Only tests have reason to
 * leave something out: what they do themselves, to see what comes of it.
 */
export function startWork(
  context: ProcessContext,
  workflowBundle: WorkflowBundleOption,
  leftOut: readonly Duty[] = [],
): () => Promise<void> {
  const { logger, services } = context
  const polling = startPolling(context, workflowBundle)
  const { callbacks, ...others } = dutiesOf(context, polling)
  const start = (name: Duty, { everySeconds, work }: Round): Loop[] =>
    leftOut.includes(name) ? [] : [startLoop(name, everySeconds, logger, work)]
  const delivering = start('callbacks', callbacks)
  const loops = (Object.entries(others) as [Duty, Round][]).flatMap(([name, round]) => start(name, round))
  return async () => {
    // A receiver may take its time, which is not to be taken from that of the activities.
    const delivered = stopAll(delivering)
    await stopAll(loops)
    // What is under way is finished, but nothing is taken on: whoever asks whether a worker is there must not count it.
    await services.workers
      .leave()
      .catch((error: unknown) => logger.warn({ err: error }, 'the worker was not signed off'))
    await polling.stop()
    await delivered
  }
}

const stopAll = (loops: Loop[]): Promise<unknown> => Promise.all(loops.map((loop) => loop.stop()))

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
