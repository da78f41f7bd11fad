import { Client, Connection } from '@temporalio/client'
import { eventually } from '../../helpers/eventually.ts'

/** Waits until Temporal has no open workflow, of these agents or at all. Its list is a little behind. */
export async function untilClosed(address: string, agents?: { id: string }[]): Promise<void> {
  const connection = await Connection.connect({ address })
  const { workflow } = new Client({ connection })
  const of = agents?.map(({ id }) => `"${id}"`).join(', ')
  const query = `ExecutionStatus = "Running"${of === undefined ? '' : ` AND AgentId IN (${of})`}`
  try {
    await eventually(180, 'Temporal has no open workflow of them', async () =>
      (await workflow.count(query)).count === 0 ? true : undefined,
    )
  } finally {
    await connection.close()
  }
}
