import { join } from 'node:path'
import { argv } from 'node:process'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

/** Sends its parent the workflow code of the project at a root, bundled for Temporal's sandbox. */
const [, , root = '.'] = argv
process.once('disconnect', () => process.exit())
const workflowsPath = join(root, 'workflows/index.ts')
const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') })
process.send?.(code, () => process.disconnect())
