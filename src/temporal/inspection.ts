import {
  WorkflowNotFoundError,
  type Client,
  type Connection,
  type WorkflowExecutionDescription,
} from '@temporalio/client'
import { defaultPayloadConverter } from '@temporalio/common'
import type { Config } from '../config/config.ts'
import { agentQueueId, agentRunId, type AgentRunInput } from '../../workflows/messages.ts'

/** What the reasons of our own terminations begin with; one without it is an operator's. */
export const ownReason = 'switchyard: '

/** What the work brings; undefined if Temporal does not know its workflow, or has closed what was to be changed. */
export async function ifKnown<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined
    throw error
  }
}

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
  /** In what it is none of ours although it has the id of one; null if it is ours. */
  foreign: 'type' | 'task queue' | null
  /** Since when its workflow task has waited for a worker to take it; null when there is none, or one has it. */
  waitsSince: Date | null
}

/** Who asks for workflow tasks on our task queue. */
export interface Polls {
  /** Whether some worker has asked within the last minute or so. */
  isPolled: boolean
  /** Tasks that were scheduled before then have been handed out, unless they were lost; null when nobody asks. */
  servedUntil: Date | null
}

/** How somebody has ended a workflow in Temporal. */
export type OperatorsEnd = 'terminated' | 'cancelled'

/** An open execution of our types, as a list says that may be out of date: a queue's `id` is its agent's. */
export interface ListedExecution {
  type: 'agentRun' | 'agentQueue'
  id: string
  executionId: string
}

/** One page of them, and where the next begins; null after the last. */
interface ListedPage {
  listed: ListedExecution[]
  next: Uint8Array | null
}

/** A worker asks for work every minute at least. */
const pollSeconds = 70

/** Temporal keeps what it says of a backlog for five seconds (`matching.taskQueueInfoByBuildIdTTL`), in which it grows. */
const staleSeconds = 7

const runPrefix = agentRunId('')
const queuePrefix = agentQueueId('')

/**
 * Looks at what Temporal has and ends what should not be there, one execution at a time: what was looked at is what is
 * ended, never one that has taken its place meanwhile. Everything throws when Temporal is away.
 */
export function createInspection(context: {
  client: Client
  connection: Connection
  config: Config['temporal']
  /** Gives the work the deadline that all calls have. */
  soon: <T>(work: () => Promise<T>) => Promise<T>
}) {
  const { client, connection, config, soon } = context

  /** The latest execution, or undefined if Temporal does not know any. */
  const describe = (workflowId: string): Promise<WorkflowExecutionDescription | undefined> =>
    ifKnown(() => soon(() => client.workflow.getHandle(workflowId).describe()))

  async function look(workflowId: string, type: ListedExecution['type']): Promise<OpenExecution | null> {
    const found = await describe(workflowId)
    if (!found || isClosed.has(found.status.name)) return null
    const { pendingActivities, pendingChildren, pendingWorkflowTask: task } = found.raw
    const children = (pendingChildren ?? []).map((child) => child.workflowId ?? '')
    const elsewhere = found.taskQueue === config.taskQueue ? null : 'task queue'
    return {
      executionId: found.runId,
      startedAt: found.startTime,
      attempts: task ? Math.max(1, task.attempt ?? 1) : 0,
      isBusy: (pendingActivities ?? []).some(({ state }) => Number(state) === activityStarted),
      isIdle: !task && (pendingActivities ?? []).length === 0 && children.length === 0,
      children: children.flatMap((id) => (id.startsWith(runPrefix) ? [id.slice(runPrefix.length)] : [])),
      foreign: found.type === type ? elsewhere : 'type',
      waitsSince: Number(task?.state) === taskScheduled ? toDate(task?.scheduledTime) : null,
    }
  }

  /** The first event of an execution's history, or, if it has closed, the one that closed it. */
  async function eventOf({ workflowId, runId }: WorkflowExecutionDescription, which: 'first' | 'close') {
    const { history } = await soon(() =>
      connection.workflowService.getWorkflowExecutionHistory({
        namespace: config.namespace,
        execution: { workflowId, runId },
        maximumPageSize: 1,
        // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum is in a package of the SDK's own
        historyEventFilterType: which === 'close' ? closeEvent : allEvents,
      }),
    )
    return history?.events?.[0]
  }

  /** Whether an execution of a run acted under the epoch; an older one was given up by us, however it closed. */
  async function hasEpoch(execution: WorkflowExecutionDescription, epoch: number): Promise<boolean> {
    const payloads = (await eventOf(execution, 'first'))?.workflowExecutionStartedEventAttributes?.input?.payloads
    const input = payloads?.[0] && defaultPayloadConverter.fromPayload<Partial<AgentRunInput>>(payloads[0])
    return input?.epoch === epoch
  }

  async function terminate(workflowId: string, executionId: string, reason: string): Promise<void> {
    await ifKnown(() =>
      soon(() => client.workflow.getHandle(workflowId, executionId).terminate(`${ownReason}${reason}`)),
    )
  }

  return {
    /** The agent's queue, or the run's workflow, if it is open; null if it is closed or Temporal does not know it. */
    queue: (agentId: string): Promise<OpenExecution | null> => look(agentQueueId(agentId), 'agentQueue'),
    run: (runId: string): Promise<OpenExecution | null> => look(agentRunId(runId), 'agentRun'),

    /**
     * How an operator has ended the latest execution of a run, whose epoch is that of the record; null if it is open or
     * unknown to Temporal, has closed otherwise, or was ended by ourselves. One that was asked to cancel counts as
     * cancelled before it has come to that: what was behind it, its queue's end too, is an operator's doing.
     */
    async endOf(runId: string, epoch: number): Promise<OperatorsEnd | null> {
      const found = await describe(agentRunId(runId))
      if (found?.type !== 'agentRun') return null
      const isAskedTo = found.raw.workflowExtendedInfo?.cancelRequested === true && !isClosed.has(found.status.name)
      if (found.status.name === 'CANCELLED' || isAskedTo) return (await hasEpoch(found, epoch)) ? 'cancelled' : null
      if (found.status.name !== 'TERMINATED') return null
      const reason = (await eventOf(found, 'close'))?.workflowExecutionTerminatedEventAttributes?.reason
      return reason?.startsWith(ownReason) ? null : 'terminated'
    },

    /** Ends an execution without its doing anything more. That it has closed already is fine. */
    terminateQueue: (agentId: string, { executionId }: { executionId: string }, reason: string): Promise<void> =>
      terminate(agentQueueId(agentId), executionId, reason),
    terminateRun: (runId: string, { executionId }: { executionId: string }, reason: string): Promise<void> =>
      terminate(agentRunId(runId), executionId, reason),

    async polls(): Promise<Polls> {
      const { pollers, stats } = await soon(() =>
        connection.workflowService.describeTaskQueue({
          namespace: config.namespace,
          taskQueue: { name: config.taskQueue },
          // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum is in a package of the SDK's own
          taskQueueType: workflowTasks,
          reportStats: true,
        }),
      )
      const lastPoll = Math.max(0, ...(pollers ?? []).map(({ lastAccessTime }) => toDate(lastAccessTime).getTime()))
      // Where workers cannot keep up, tasks wait rightly: all that are younger than the oldest which waits in turn.
      const age = Number(stats?.approximateBacklogAge?.seconds ?? 0) + staleSeconds
      const oldest = Date.now() - age * 1000
      const isPolled = lastPoll > Date.now() - pollSeconds * 1000
      return { isPolled, servedUntil: isPolled ? new Date(Math.min(lastPoll, oldest)) : null }
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

/** What is none of ours has none of our ids either. */
function toListed(workflowId: string, executionId: string): ListedExecution[] {
  if (workflowId.startsWith(runPrefix))
    return [{ type: 'agentRun', id: workflowId.slice(runPrefix.length), executionId }]
  if (workflowId.startsWith(queuePrefix))
    return [{ type: 'agentQueue', id: workflowId.slice(queuePrefix.length), executionId }]
  return []
}

const toDate = (time: { seconds?: unknown; nanos?: number | null } | null | undefined): Date =>
  new Date(Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6)

/** Everything else is open, also what later versions of Temporal may call otherwise. */
const isClosed = new Set<string>(['COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED', 'CONTINUED_AS_NEW', 'TIMED_OUT'])

/** `temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED` */
const activityStarted = 2

/** `temporal.api.enums.v1.PendingWorkflowTaskState.PENDING_WORKFLOW_TASK_STATE_SCHEDULED` */
const taskScheduled = 1

/** `temporal.api.enums.v1.HistoryEventFilterType` */
const allEvents = 1
const closeEvent = 2

/** `temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW` */
const workflowTasks = 1
