import { readFile } from 'node:fs/promises'
import { NativeConnection, Worker } from '@temporalio/worker'
import type { ExecutionContext } from 'ava'
import { createActivities } from '../../activities/index.ts'
import { startLoop } from '../../src/loop.ts'
import { installRuntime } from '../helpers/platform.ts'
import { sharedServers } from '../helpers/servers.ts'
import { temporalAddress } from '../helpers/temporal.ts'
import type { Stage } from './stage.ts'

/** Workflow code as a bad deployment has it: queues work, and every run throws what Temporal takes for a passing fault. */
async function badBundle(): Promise<{ code: string }> {
  const good = await readFile(sharedServers().bundle, 'utf8')
  const code = good.replace(
    'async function agentRun(input) {',
    `$& throw new TypeError('a mistake in the workflow code')`,
  )
  if (code === good) throw new Error('The bundle has no agentRun to be made bad.')
  return { code }
}

/** A worker whose workflow code is bad, polling in this process and saying that it is there until it is stopped. */
export async function badWorker(t: ExecutionContext, { platform, environment }: Stage) {
  await installRuntime()
  const connection = await NativeConnection.connect({ address: temporalAddress() })
  const worker = await Worker.create({
    connection,
    taskQueue: environment['TASK_QUEUE'] ?? '',
    workflowBundle: await badBundle(),
    activities: createActivities(platform.services),
  })
  const running = worker.run()
  const { workers, logger: log } = platform.services
  const presence = startLoop('presence', 1, log, () => workers.report(true))
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
