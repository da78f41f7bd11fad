import { argv } from 'node:process'
import { DefaultLogger, Runtime } from '@temporalio/worker'
import { bundleWorkflows } from './polling.ts'
import { startProcess } from './process.ts'
import { startWork } from './work.ts'

/**
 * The worker as a separate process: workflows, activities, and loops. The command line may name a file with workflow
 * code that `bundleWorkflows` made from this very source, which saves the time to bundle it.
 */
const [, , codePath] = argv

await startProcess('worker', async (context) => {
  Runtime.install({
    // SIGTERM and SIGINT are handled in one place, also for what is around the worker.
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message }) => {
      // The worker of tool calls has none, on purpose.
      if (message.startsWith('No workflows registered')) return
      context.logger.warn({ temporal: level }, message)
    }),
  })
  return startWork(context, codePath === undefined ? await bundleWorkflows() : { codePath })
})
