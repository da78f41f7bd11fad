import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client'
import type { ExecutionContext } from 'ava'
import { temporalAddress } from '../helpers/temporal.ts'
import type { Stage } from './stage.ts'

/** Temporal's own client, for doing what operators do there, and worse. */
export async function openOperator(t: ExecutionContext, { environment }: Pick<Stage, 'environment'>) {
  const connection = await Connection.connect({ address: temporalAddress() })
  t.teardown(() => connection.close())
  const { workflow } = new Client({ connection })
  const taskQueue = environment['TASK_QUEUE'] ?? ''
  return {
    workflow,
    knows: (workflowId: string) => {
      const handle = workflow.getHandle(workflowId)
      return handle.describe().then(
        () => true,
        (error: unknown) => !(error instanceof WorkflowNotFoundError),
      )
    },
    statusOf: async (workflowId: string) => (await workflow.getHandle(workflowId).describe()).status.name,
    terminate: (workflowId: string) => workflow.getHandle(workflowId).terminate('an operator said so'),
    delete: (workflowId: string) =>
      connection.workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution: { workflowId } }),
    /** Our workflow code without its input: it throws in every workflow task, which Temporal repeats for ever. */
    wedge: (type: 'agentRun' | 'agentQueue', workflowId: string) =>
      workflow.start(type, { taskQueue, workflowId, args: [] }),
    /** Takes one of our ids for something that nobody carries out. */
    occupy: (workflowId: string, type: string) => workflow.start(type, { taskQueue: 'nobody', workflowId, args: [] }),
  }
}
