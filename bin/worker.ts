import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { argv } from 'node:process'
import { DefaultLogger, Runtime, type LogMetadata } from '@temporalio/worker'
import { startProcess, type ProcessContext } from './process.ts'
import { startWork } from './work.ts'
import { bundleWorkflows } from './workflow-code.ts'

/** The subject of a Temporal SDK log line. A run's workflow is named after the run; `runId` is one execution of it. */
const aboutOf = ({ workflowId, workflowType, activityType, runId: executionId, error }: LogMetadata = {}) => ({
  workflowId: workflowId as unknown,
  workflowType: workflowType as unknown,
  activityType: activityType as unknown,
  executionId: executionId as unknown,
  ...(error !== undefined && { err: error as unknown }),
})

/**
 * An address of this machine for the metrics of Temporal's core, which opens a port of its own. None if nobody can read
 * them here. Other programs of this machine can, without a token: they are counts and times of Temporal's requests.
 */
async function metricsAddress({ config }: ProcessContext): Promise<string | undefined> {
  if (config.metrics.token === undefined || config.workerHealthPort === 0) return undefined
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `127.0.0.1:${port}`
}

/**
 * The worker as a separate process: workflows, activities, and loops. The command line may name a file with workflow
 * code that `bundleWorkflows` made from this same source, which saves bundling it.
 */
const [, , codePath] = argv

await startProcess('worker', async (context) => {
  const temporalMetrics = await metricsAddress(context)
  Runtime.install({
    // SIGTERM and SIGINT are handled in one place, together with the rest of the process.
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      // The worker for tool calls has no workflows, on purpose.
      if (message.startsWith('No workflows registered')) return
      context.logger.warn({ temporal: level, ...aboutOf(meta) }, message)
    }),
    // Temporal's core would otherwise log plain text.
    telemetryOptions: {
      logging: { forward: {} },
      ...(temporalMetrics !== undefined && { metrics: { prometheus: { bindAddress: temporalMetrics } } }),
    },
  })
  return startWork(
    { ...context, ...(temporalMetrics !== undefined && { temporalMetrics }) },
    codePath === undefined ? await bundleWorkflows() : { codePath },
  )
})
