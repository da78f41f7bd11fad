import { argv } from 'node:process'
import { DefaultLogger, Runtime } from '@temporalio/worker'
import { bundleWorkflows } from './polling.ts'
import { startProcess } from './process.ts'
import { startWork } from './work.ts'

/**
 * The worker as a process of its own: workflows, activities, and loops. The command line may name a
 * file with the workflow code as `bundleWorkflows` makes it of this very source: that saves the time to make it.
 */
const [, , codePath] = argv

await startProcess('worker', async (context) => {
  Runtime.install({
    // SIGTERM and SIGINT are handled in one place, for what is around the worker too.
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message }) => context.logger.warn({ temporal: level }, message)),
  })
  return startWork(context, codePath === undefined ? await bundleWorkflows() : { codePath })
})
