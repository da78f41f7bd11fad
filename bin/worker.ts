import { argv } from 'node:process'
import { DefaultLogger, Runtime, type LogMetadata } from '@temporalio/worker'
import { bundleWorkflows } from './polling.ts'
import { startProcess } from './process.ts'
import { startWork } from './work.ts'

/** What a line of Temporal's SDK is about. A run's workflow is named by the run; `runId` there is one execution of it. */
const aboutOf = ({ workflowId, workflowType, activityType, runId: executionId, error }: LogMetadata = {}) => ({
  workflowId: workflowId as unknown,
  workflowType: workflowType as unknown,
  activityType: activityType as unknown,
  executionId: executionId as unknown,
  ...(error !== undefined && { err: error as unknown }),
})

/**
 * The worker as a separate process: workflows, activities, and loops. The command line may name a file with workflow
 * code that `bundleWorkflows` made from this very source, which saves the time to bundle it.
 */
const [, , codePath] = argv

await startProcess('worker', async (context) => {
  Runtime.install({
    // SIGTERM and SIGINT are handled in one place, also for what is around the worker.
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      // The worker of tool calls has none, on purpose.
      if (message.startsWith('No workflows registered')) return
      context.logger.warn({ temporal: level, ...aboutOf(meta) }, message)
    }),
    // The core's own lines, which would otherwise be plain text.
    telemetryOptions: { logging: { forward: {} } },
  })
  return startWork(context, codePath === undefined ? await bundleWorkflows() : { codePath })
})
