import { WorkflowNotFoundError, type Client, type Connection } from '@temporalio/client'
import type { Config } from './config.ts'
import { agentQueueId, agentRunId } from '../workflows/messages.ts'

/** What Temporal says of a workflow execution that is open. */
export interface OpenExecution {
  /** Temporal's own id of this execution; the workflow id may be used again by another. */
  executionId: string
  startedAt: Date
  /** How often its present workflow task has been tried, this time included; 0 when there is none. */
  attempts: number
  /** Whether a worker is carrying out an activity of it, as far as heartbeats tell. */
  isBusy: boolean
  /** Whether nothing is under way that could make it go on: no workflow task, no activity, no child. Timers do not show. */
  isIdle: boolean
  /** The runs whose workflows it waits for. */
  children: string[]
}

/** An open execution of our types, as a list says that may be out of date: a queue's `id` is its agent's. */
export interface ListedExecution {
  type: 'agentRun' | 'agentQueue'
  id: string
  executionId: string
}

/** One page of them, and where the next begins; null after the last. */
export interface ListedPage {
  listed: ListedExecution[]
  next: Uint8Array | null
}

/** A worker asks for work every minute at least. */
const pollSeconds = 70

const runPrefix = agentRunId('')
const queuePrefix = agentQueueId('')

/**
 * Looks at what Temporal has and ends what should not be there, one execution at a time: what was looked at is what is
 * ended, never one that has taken its place meanwhile. Everything throws when Temporal is away.
 */
export function createInspection(given: {
  client: Client
  connection: Connection
  config: Config['temporal']
  /** Gives the work the deadline that all calls have. */
  soon: <T>(work: () => Promise<T>) => Promise<T>
}) {
  const { client, connection, config, soon } = given

  async function look(workflowId: string): Promise<OpenExecution | null> {
    try {
      const { status, runId, startTime, raw } = await soon(() => client.workflow.getHandle(workflowId).describe())
      if (isClosed.has(status.name)) return null
      const { pendingActivities, pendingChildren, pendingWorkflowTask } = raw
      const children = (pendingChildren ?? []).map((child) => child.workflowId ?? '')
      return {
        executionId: runId,
        startedAt: startTime,
        attempts: pendingWorkflowTask ? Math.max(1, pendingWorkflowTask.attempt ?? 1) : 0,
        isBusy: (pendingActivities ?? []).some(({ state }) => Number(state) === activityStarted),
        isIdle: !pendingWorkflowTask && (pendingActivities ?? []).length === 0 && children.length === 0,
        children: children.flatMap((id) => (id.startsWith(runPrefix) ? [id.slice(runPrefix.length)] : [])),
      }
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null
      throw error
    }
  }

  async function terminate(workflowId: string, executionId: string, reason: string): Promise<void> {
    try {
      await soon(() => client.workflow.getHandle(workflowId, executionId).terminate(reason))
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error
    }
  }

  return {
    /** The agent's queue, or the run's workflow, if it is open; null if it is closed or Temporal does not know it. */
    queue: (agentId: string): Promise<OpenExecution | null> => look(agentQueueId(agentId)),
    run: (runId: string): Promise<OpenExecution | null> => look(agentRunId(runId)),

    /** Ends an execution without its doing anything more. That it has closed already is fine. */
    terminateQueue: (agentId: string, { executionId }: { executionId: string }, reason: string): Promise<void> =>
      terminate(agentQueueId(agentId), executionId, reason),
    terminateRun: (runId: string, { executionId }: { executionId: string }, reason: string): Promise<void> =>
      terminate(agentRunId(runId), executionId, reason),

    /** Whether some worker has asked for workflow tasks within the last minute or so. */
    async isPolled(): Promise<boolean> {
      const { pollers } = await soon(() =>
        connection.workflowService.describeTaskQueue({
          namespace: config.namespace,
          taskQueue: { name: config.taskQueue },
          // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum is in a package of the SDK's own
          taskQueueType: workflowTasks,
        }),
      )
      const earliest = Date.now() / 1000 - pollSeconds
      return (pollers ?? []).some(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) > earliest)
    },

    /** Open executions of our types that began before then, one page of a hundred; from the beginning without `from`. */
    async listOpen(before: Date, from: Uint8Array | null): Promise<ListedPage> {
      const { executions, nextPageToken } = await soon(() =>
        connection.workflowService.listWorkflowExecutions({
          namespace: config.namespace,
          pageSize: 100,
          query: `TaskQueue = '${config.taskQueue}' AND WorkflowType IN ('agentRun', 'agentQueue') AND ExecutionStatus = 'Running' AND StartTime < '${before.toISOString()}'`,
          ...(from && { nextPageToken: from }),
        }),
      )
      const listed = (executions ?? []).flatMap(({ execution }) =>
        toListed(execution?.workflowId ?? '', execution?.runId ?? ''),
      )
      return { listed, next: nextPageToken?.length ? nextPageToken : null }
    },
  }
}

export type Inspection = ReturnType<typeof createInspection>

/** What is none of ours has none of our ids either. */
function toListed(workflowId: string, executionId: string): ListedExecution[] {
  if (workflowId.startsWith(runPrefix))
    return [{ type: 'agentRun', id: workflowId.slice(runPrefix.length), executionId }]
  if (workflowId.startsWith(queuePrefix))
    return [{ type: 'agentQueue', id: workflowId.slice(queuePrefix.length), executionId }]
  return []
}

/** Everything else is open, also what later versions of Temporal may call otherwise. */
const isClosed = new Set<string>(['COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED', 'CONTINUED_AS_NEW', 'TIMED_OUT'])

/** `temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED` */
const activityStarted = 2

/** `temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW` */
const workflowTasks = 1
