import {
  WorkflowNotFoundError,
  type Client,
  type Connection,
  type WorkflowExecutionDescription,
} from '@temporalio/client'
import { defaultPayloadConverter } from '@temporalio/common'
import type { Config } from '../config/config.ts'
import { agentQueueId, agentRunId, type AgentRunInput } from '../../workflows/messages.ts'

/** The prefix of our own termination reasons; a termination without it is an operator's. */
export const ownReason = 'switchyard: '

/** The result of `work`; undefined if Temporal does not know the workflow, or has closed it. */
export async function ifKnown<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined
    throw error
  }
}

export interface OpenExecution {
  /** Temporal's id of this execution; another one may reuse the workflow id. */
  executionId: string
  startedAt: Date
  /** Attempts of its current workflow task, including this one; 0 if there is none. */
  attempts: number
  /** Whether a worker is running one of its activities, according to heartbeats. */
  isBusy: boolean
  /** Whether nothing could make it continue: no workflow task, no activity, no child. Timers are not visible. */
  isIdle: boolean
  children: string[]
  /** How it differs from ours although it has one of our ids; null if it is ours. */
  foreign: 'type' | 'task queue' | null
  /** Since when its workflow task has waited for a worker; null if there is none, or a worker has it. */
  waitsSince: Date | null
}

export interface Polls {
  /** Whether a worker has polled within the last minute or so. */
  isPolled: boolean
  /** Tasks scheduled before then have been handed out, unless they were lost; null without a poller. */
  servedUntil: Date | null
}

export type OperatorsEnd = 'terminated' | 'cancelled'

/** An open execution of our types, from a list that may be outdated. A queue's `id` is its agent's. */
export interface ListedExecution {
  type: 'agentRun' | 'agentQueue'
  id: string
  executionId: string
}

/** One page of executions, and the next page's token; null after the last. */
interface ListedPage {
  listed: ListedExecution[]
  next: Uint8Array | null
}

/** A worker polls at least every minute. */
const pollSeconds = 70

/**
 * Temporal caches its backlog statistics for five seconds (`matching.taskQueueInfoByBuildIdTTL`), while the backlog
 * grows.
 */
const staleSeconds = 7

const runPrefix = agentRunId('')
const queuePrefix = agentQueueId('')

/**
 * Inspects workflows in Temporal and terminates those that should not exist. It always ends the execution that it
 * inspected, never a successor with the same workflow id. Every function throws while Temporal is unreachable.
 */
export function createInspection(context: {
  client: Client
  connection: Connection
  config: Config['temporal']
  /** Applies the common deadline of all calls. */
  withDeadline: <T>(work: () => Promise<T>) => Promise<T>
}) {
  const { client, connection, config, withDeadline } = context

  const describe = (workflowId: string): Promise<WorkflowExecutionDescription | undefined> =>
    ifKnown(() => withDeadline(() => client.workflow.getHandle(workflowId).describe()))

  async function findOpen(workflowId: string, type: ListedExecution['type']): Promise<OpenExecution | null> {
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

  async function eventOf({ workflowId, runId }: WorkflowExecutionDescription, which: 'first' | 'close') {
    const { history } = await withDeadline(() =>
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

  /** Whether an execution of a run belongs to the epoch. We abandoned an older one, however it closed. */
  async function hasEpoch(execution: WorkflowExecutionDescription, epoch: number): Promise<boolean> {
    const payloads = (await eventOf(execution, 'first'))?.workflowExecutionStartedEventAttributes?.input?.payloads
    const input = payloads?.[0] && defaultPayloadConverter.fromPayload<Partial<AgentRunInput>>(payloads[0])
    return input?.epoch === epoch
  }

  async function terminate(workflowId: string, executionId: string, reason: string): Promise<void> {
    await ifKnown(() =>
      withDeadline(() => client.workflow.getHandle(workflowId, executionId).terminate(`${ownReason}${reason}`)),
    )
  }

  return {
    /** The agent's queue if it is open; null if it is closed or unknown to Temporal. */
    queue: (agentId: string): Promise<OpenExecution | null> => findOpen(agentQueueId(agentId), 'agentQueue'),
    run: (runId: string): Promise<OpenExecution | null> => findOpen(agentRunId(runId), 'agentRun'),

    /**
     * How an operator ended the latest execution of a run, which must have the recorded epoch; null if it is open,
     * unknown to Temporal, closed otherwise, or ended by us. It counts as cancelled from the request on.
     */
    async endOf(runId: string, epoch: number): Promise<OperatorsEnd | null> {
      const found = await describe(agentRunId(runId))
      if (found?.type !== 'agentRun') return null
      const isCancelRequested =
        found.raw.workflowExtendedInfo?.cancelRequested === true && !isClosed.has(found.status.name)
      if (found.status.name === 'CANCELLED' || isCancelRequested)
        return (await hasEpoch(found, epoch)) ? 'cancelled' : null
      if (found.status.name !== 'TERMINATED') return null
      const reason = (await eventOf(found, 'close'))?.workflowExecutionTerminatedEventAttributes?.reason
      return reason?.startsWith(ownReason) ? null : 'terminated'
    },

    /** Terminates an execution. An execution that has already closed is fine. */
    terminateQueue: (agentId: string, { executionId }: { executionId: string }, reason: string): Promise<void> =>
      terminate(agentQueueId(agentId), executionId, reason),
    terminateRun: (runId: string, { executionId }: { executionId: string }, reason: string): Promise<void> =>
      terminate(agentRunId(runId), executionId, reason),

    async polls(): Promise<Polls> {
      const { pollers, stats } = await withDeadline(() =>
        connection.workflowService.describeTaskQueue({
          namespace: config.namespace,
          taskQueue: { name: config.taskQueue },
          // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum is in a package of the SDK's own
          taskQueueType: workflowTasks,
          reportStats: true,
        }),
      )
      const lastPoll = Math.max(0, ...(pollers ?? []).map(({ lastAccessTime }) => toDate(lastAccessTime).getTime()))
      // If workers cannot keep up, tasks younger than the oldest in the backlog wait normally.
      const age = Number(stats?.approximateBacklogAge?.seconds ?? 0) + staleSeconds
      const oldest = Date.now() - age * 1000
      const isPolled = lastPoll > Date.now() - pollSeconds * 1000
      return { isPolled, servedUntil: isPolled ? new Date(Math.min(lastPoll, oldest)) : null }
    },

    /** Open executions of our types that started before then, one page of a hundred; without `from`, the first page. */
    async listOpen(before: Date, from: Uint8Array | null): Promise<ListedPage> {
      const { executions, nextPageToken } = await withDeadline(() =>
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

/** Foreign workflows do not have our ids. */
function toListed(workflowId: string, executionId: string): ListedExecution[] {
  if (workflowId.startsWith(runPrefix))
    return [{ type: 'agentRun', id: workflowId.slice(runPrefix.length), executionId }]
  if (workflowId.startsWith(queuePrefix))
    return [{ type: 'agentQueue', id: workflowId.slice(queuePrefix.length), executionId }]
  return []
}

const toDate = (time: { seconds?: unknown; nanos?: number | null } | null | undefined): Date =>
  new Date(Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6)

/** Everything else is open, including statuses of later versions of Temporal. */
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
