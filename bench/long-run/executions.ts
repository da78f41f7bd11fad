import { Client, Connection } from '@temporalio/client'
import { agentRunId } from '../../workflows/messages.ts'

/** What Temporal keeps of a run: events and bytes of each execution, in order, and per step of the run. */
export async function executionsOf(address: string, runId: string, steps: number): Promise<string[]> {
  const connection = await Connection.connect({ address, channelArgs: { 'grpc.max_receive_message_length': -1 } })
  const { workflow } = new Client({ connection })
  const lines: string[] = []
  const total = { events: 0, bytes: 0 }
  for (let executionId: string | undefined = await firstOf(workflow, runId); executionId;) {
    const handle = workflow.getHandle(agentRunId(runId), executionId)
    const { historyLength: events, historySize: bytes = 0, status } = await handle.describe()
    lines.push(`execution ${lines.length + 1}: ${status.name}, ${events} events, ${kibibytes(bytes)}`)
    total.events += events
    total.bytes += bytes
    const last = (await handle.fetchHistory()).events?.at(-1)
    executionId = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined
  }
  await connection.close()
  const perStep = `${(total.events / steps).toFixed(1)} events, ${kibibytes(total.bytes / steps)} a step`
  return [...lines, `in total: ${total.events} events, ${kibibytes(total.bytes)}; ${perStep}`]
}

/** The first of the chain, which the history of the last one names. */
async function firstOf(workflow: Client['workflow'], runId: string): Promise<string | undefined> {
  const { events } = await workflow.getHandle(agentRunId(runId)).fetchHistory()
  return events?.[0]?.workflowExecutionStartedEventAttributes?.firstExecutionRunId ?? undefined
}

const kibibytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`
