import { Client, Connection, isGrpcServiceError } from '@temporalio/client'
import type { Config } from '../config/config.ts'
import type { Logger } from '../logger.ts'
import { quotedName } from '../names.ts'
import { createInspection, ifKnown, ownReason } from './inspection.ts'
import { createTemporalSchedules } from './schedules.ts'
import { createServerFacts } from './server-facts.ts'
import {
  agentQueueId,
  agentRunId,
  resumeSignal,
  searchAttributes,
  wakeSignal,
  workflowTaskTimeout,
  type AgentQueueInput,
} from '../../workflows/messages.ts'

/** The longest wait of a request for Temporal, in milliseconds. */
const deadlineMs = 2000

/** Pauses between attempts to connect, in milliseconds. gRPC's own grow from a second to two minutes. */
const reconnectSoon = { 'grpc.initial_reconnect_backoff_ms': 250, 'grpc.max_reconnect_backoff_ms': 1000 }

/** gRPC's codes for "the request is wrong" and "it exists already". */
const invalidArgument = 3
const alreadyExists = 6

/** gRPC's codes for temporary conditions: no answer in time, overloaded, unavailable, interrupted. */
const temporaryCodes = new Set<unknown>([1, 4, 8, 10, 13, 14])

/**
 * The Temporal client: wakes queues, resumes and cancels runs. It connects on first use and reconnects when needed.
 * Every call has a deadline, because the client itself would retry for up to 40 seconds.
 */
export function createTemporal(config: Config['temporal'], logger: Logger) {
  const connection = Connection.lazy({ ...connectionOptions(config), channelArgs: reconnectSoon })
  const client = new Client({ connection, namespace: config.namespace })
  const underway = new Set<Promise<unknown>>()

  const withDeadline = <T>(work: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + deadlineMs, work)

  /** Work that does not fail, and that closing waits for: a call that is retried later would throw where nobody catches. */
  function untilDone<T>(work: Promise<T>): Promise<T> {
    const done = work.finally(() => underway.delete(done))
    underway.add(done)
    return done
  }

  /** Registers the search attributes of our workflows. Temporal rejects a start with an unknown one. */
  async function registerSearchAttributes(): Promise<void> {
    for (const { name } of Object.values(searchAttributes)) {
      try {
        await withDeadline(() =>
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

  /** A Temporal that lost its storage no longer knows our search attributes, and rejects requests that use them. */
  async function withAttributes<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (codeOf(error) !== invalidArgument) throw error
      await registerSearchAttributes()
      return work()
    }
  }

  /** Signals an agent's queue to read the record, and starts it if it does not run. */
  const wakeAgent = (agent: NamedAgent): Promise<void> => withAttributes(() => signalQueue(agent))

  async function signalQueue({ agentId, ownerId, agentName }: NamedAgent): Promise<void> {
    await withDeadline(() =>
      client.workflow.signalWithStart<(input: AgentQueueInput) => Promise<void>>('agentQueue', {
        taskQueue: config.taskQueue,
        workflowId: agentQueueId(agentId),
        args: [{ agentId, ownerId }],
        signal: wakeSignal,
        signalArgs: [],
        workflowTaskTimeout,
        // Its runs inherit the key, so workers serve waiting tasks in turns by owner.
        priority: { fairnessKey: ownerId },
        staticSummary: `Runs of ${quotedName(agentName)}, one at a time and in order of arrival`,
        typedSearchAttributes: [
          { key: searchAttributes.agent, value: agentId },
          { key: searchAttributes.owner, value: ownerId },
        ],
      }),
    )
  }

  async function answers(): Promise<boolean> {
    try {
      await withDeadline(() => connection.workflowService.getSystemInfo({}))
      return true
    } catch {
      return false
    }
  }

  return {
    registerSearchAttributes,
    wakeAgent,
    inspection: createInspection({ client, connection, config, withDeadline }),
    serverFacts: createServerFacts({ client, connection, config, withDeadline }),
    schedules: createTemporalSchedules({ client, taskQueue: config.taskQueue, withDeadline, withAttributes }),

    /** Wakes agents in the background. The reconciler repeats failures. */
    wakeSoon(agents: NamedAgent[]): void {
      for (const agent of agents) {
        const failed = (error: unknown) =>
          logger.warn({ err: error, agentId: agent.agentId }, 'failed to wake the queue')
        void untilDone(wakeAgent(agent).catch(failed))
      }
    },

    /** Signals a waiting run to read the record again. A missing workflow is fine: the run then resumes elsewhere. */
    async resumeRun(runId: string): Promise<void> {
      await ifKnown(() => withDeadline(() => client.workflow.getHandle(agentRunId(runId)).signal(resumeSignal)))
    },

    /** Requests cancellation of the run's workflow. A missing workflow is fine: the record decides. */
    async cancelRun(runId: string): Promise<void> {
      await ifKnown(() => withDeadline(() => client.workflow.getHandle(agentRunId(runId)).cancel()))
    },

    /** Terminates the run's workflow. A missing workflow is fine. */
    async terminateRun(runId: string, reason: string): Promise<void> {
      await ifKnown(() =>
        withDeadline(() => client.workflow.getHandle(agentRunId(runId)).terminate(`${ownReason}${reason}`)),
      )
    },

    isReachable: (): Promise<boolean> => untilDone(answers()),

    async close(): Promise<void> {
      await Promise.all(underway)
      await connection.close()
    },
  }
}

export type Temporal = ReturnType<typeof createTemporal>

/** An agent whose queue is woken. Operators see the name that it had when the queue's workflow started. */
export interface NamedAgent extends AgentQueueInput {
  agentName: string
}

export const connectionOptions = ({ address, apiKey, tls }: Config['temporal']) => ({
  address,
  ...(tls && { tls: true as const }),
  ...(apiKey && { apiKey }),
})

/** Whether a call failed because Temporal is unreachable or busy, so a retry makes sense. */
export function isTemporalAway(error: unknown): boolean {
  const failed = isGrpcServiceError(error) ? error : (error as { cause?: unknown } | undefined)?.cause
  return isGrpcServiceError(failed) && temporaryCodes.has(failed.code)
}

/** The gRPC status of a failed call; the client wraps it in its own error. */
function codeOf(error: unknown): unknown {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  return code ?? cause?.code
}

/** `temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD` */
const keyword = 2
