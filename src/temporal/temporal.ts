import { Client, Connection, isGrpcServiceError } from '@temporalio/client'
import type { Config } from '../config/config.ts'
import type { Logger } from '../logger.ts'
import { createInspection, ifKnown, ownReason } from './inspection.ts'
import { createTemporalSchedules } from './schedules.ts'
import {
  agentQueueId,
  agentRunId,
  resumeSignal,
  searchAttributes,
  wakeSignal,
  type AgentQueueInput,
} from '../../workflows/messages.ts'

/** Longest that anybody waits for Temporal on behalf of a request, in milliseconds. */
const deadlineMs = 2000

/** gRPC's own numbers for "the request is wrong" and "there is one already". */
const invalidArgument = 3
const alreadyExists = 6

/** And for what passes by itself: no answer in time, too much at once, gone, interrupted. */
const passing = new Set<unknown>([1, 4, 8, 10, 13, 14])

/**
 * The platform's side of Temporal: waking queues, cancelling runs. The connection is made when first needed and again
 * when it was lost; every call has a deadline, because the client would retry for up to 40 seconds by itself.
 */
export function createTemporal(config: Config['temporal'], logger: Logger) {
  const connection = Connection.lazy(connectionOptions(config))
  const client = new Client({ connection, namespace: config.namespace })
  const underway = new Set<Promise<void>>()

  const soon = <T>(work: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + deadlineMs, work)

  /** Registers the search attributes of our workflows; a start that names an unknown one is refused. */
  async function registerSearchAttributes(): Promise<void> {
    for (const { name } of Object.values(searchAttributes)) {
      try {
        await soon(() =>
          connection.operatorService.addSearchAttributes({
            namespace: config.namespace,
            // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum is in a package of the SDK's own
            searchAttributes: { [name]: keyword },
          }),
        )
      } catch (error) {
        if (codeOf(error) !== alreadyExists) throw error
      }
    }
  }

  /** A Temporal that has lost its storage does not know our search attributes any more, and refuses what names them. */
  async function withAttributes<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (codeOf(error) !== invalidArgument) throw error
      await registerSearchAttributes()
      return work()
    }
  }

  /** Tells an agent's queue to look at the record, starting it if it does not run. */
  const wakeAgent = (agent: AgentQueueInput): Promise<void> => withAttributes(() => signalQueue(agent))

  async function signalQueue({ agentId, ownerId }: AgentQueueInput): Promise<void> {
    await soon(() =>
      client.workflow.signalWithStart<(input: AgentQueueInput) => Promise<void>>('agentQueue', {
        taskQueue: config.taskQueue,
        workflowId: agentQueueId(agentId),
        args: [{ agentId, ownerId }],
        signal: wakeSignal,
        signalArgs: [],
        staticSummary: 'Runs of one agent, one at a time, in order of arrival',
        typedSearchAttributes: [
          { key: searchAttributes.agent, value: agentId },
          { key: searchAttributes.owner, value: ownerId },
        ],
      }),
    )
  }

  return {
    registerSearchAttributes,
    wakeAgent,
    inspection: createInspection({ client, connection, config, soon }),
    schedules: createTemporalSchedules({ client, taskQueue: config.taskQueue, soon, withAttributes }),

    /** Wakes agents without making anybody wait. What fails here the reconciler does later. */
    wakeSoon(agents: AgentQueueInput[]): void {
      for (const agent of agents) {
        const waking = wakeAgent(agent)
          .catch((error: unknown) => logger.warn({ err: error, agentId: agent.agentId }, 'the queue was not woken'))
          .finally(() => underway.delete(waking))
        underway.add(waking)
      }
    },

    /** Tells a waiting run to look at the record again. That there is none is fine: then it is taken up elsewhere. */
    async resumeRun(runId: string): Promise<void> {
      await ifKnown(() => soon(() => client.workflow.getHandle(agentRunId(runId)).signal(resumeSignal)))
    },

    /** Asks the run's workflow to cancel. That there is none is fine: the record decides. */
    async cancelRun(runId: string): Promise<void> {
      await ifKnown(() => soon(() => client.workflow.getHandle(agentRunId(runId)).cancel()))
    },

    /** Ends the run's workflow without its doing anything more. That there is none is fine. */
    async terminateRun(runId: string, reason: string): Promise<void> {
      await ifKnown(() => soon(() => client.workflow.getHandle(agentRunId(runId)).terminate(`${ownReason}${reason}`)))
    },

    /** Whether Temporal answers. */
    async isReachable(): Promise<boolean> {
      try {
        await soon(() => connection.workflowService.getSystemInfo({}))
        return true
      } catch {
        return false
      }
    },

    async close(): Promise<void> {
      await Promise.all(underway)
      await connection.close()
    },
  }
}

export type Temporal = ReturnType<typeof createTemporal>

/** How to reach Temporal; the same for the client and the worker. */
export const connectionOptions = ({ address, apiKey, tls }: Config['temporal']) => ({
  address,
  ...(tls && { tls: true as const }),
  ...(apiKey && { apiKey }),
})

/** Whether a call failed because Temporal is away or busy, so that it is worth repeating for as long as that lasts. */
export function isTemporalAway(error: unknown): boolean {
  const failed = isGrpcServiceError(error) ? error : (error as { cause?: unknown } | undefined)?.cause
  return isGrpcServiceError(failed) && passing.has(failed.code)
}

/** The gRPC status of a failed call, which the client wraps in an error of its own. */
function codeOf(error: unknown): unknown {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  return code ?? cause?.code
}

/** `temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD` */
const keyword = 2
