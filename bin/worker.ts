import { argv } from 'node:process'
import { DefaultLogger, Runtime, type LogMetadata } from '@temporalio/worker'
import { startProcess } from './process.ts'
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
 * The worker as a separate process: workflows, activities, and loops. The command line may name a file with workflow
 * code that `bundleWorkflows` made from this same source, which saves bundling it.
 */
const [, , codePath] = argv

await startProcess('worker', async (context) => {
  Runtime.install({
    // SIGTERM and SIGINT are handled in one place, together with the rest of the process.
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      // The worker for tool calls has no workflows, on purpose.
      if (message.startsWith('No workflows registered')) return
      context.logger.warn({ temporal: level, ...aboutOf(meta) }, message)
    }),
    // Temporal's core would otherwise log plain text.
    telemetryOptions: { logging: { forward: {} } },
  })
  return startWork(context, codePath === undefined ? await bundleWorkflows() : { codePath })
})
