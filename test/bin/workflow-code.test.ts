import test from 'ava'
import { bundleWorkflows } from '../../bin/workflow-code.ts'

test('a failure to bundle the workflow code is an error with the exit code', async (t) => {
  const message = 'The process that bundles the workflow code ended early: exit code 1.'
  await t.throwsAsync(bundleWorkflows('/there/is/no/project'), { message })
})
