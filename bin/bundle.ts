import { join } from 'node:path'
import { argv, stdout } from 'node:process'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

/** `node bin/bundle.ts <root>`: writes the workflow code of the project at `root`, bundled for Temporal's sandbox. */
const [, , root = '.'] = argv
const workflowsPath = join(root, 'workflows/index.ts')
const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') })
stdout.write(code)
