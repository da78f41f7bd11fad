import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker'
import type { ExecutionContext } from 'ava'
import { createActivities } from '../../activities/index.ts'
import { startLoop } from '../../src/loop.ts'
import { installRuntime } from '../helpers/platform.ts'
import { temporalAddress } from '../helpers/temporal.ts'
import type { Stage } from './stage.ts'

/** A worker whose workflow code is bad, polling in this process and saying that it is there until it is stopped. */
export async function badWorker(t: ExecutionContext, { platform, environment }: Stage) {
  const workflowsPath = new URL('bad-deployment.ts', import.meta.url).pathname
  const logger = new DefaultLogger('ERROR', () => undefined)
  await installRuntime()
  const connection = await NativeConnection.connect({ address: temporalAddress() })
  const worker = await Worker.create({
    connection,
    taskQueue: environment['TASK_QUEUE'] ?? '',
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger }),
    activities: createActivities(platform.services),
  })
  const running = worker.run()
  const { workers, logger: log } = platform.services
  const presence = startLoop('presence', 1, log, () => workers.say(true))
  const stop = async () => {
    await presence.stop()
    if (worker.getState() === 'RUNNING') worker.shutdown()
    await running
  }
  t.teardown(async () => {
    await stop()
    await connection.close()
  })
  return { stop }
}
