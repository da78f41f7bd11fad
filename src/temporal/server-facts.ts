import type { Client, Connection } from '@temporalio/client'
import type { Config } from '../config/config.ts'
import { newId } from '../ids.ts'
import { searchAttributes } from '../../workflows/messages.ts'
import { ifKnown, ownReason } from './inspection.ts'

/** gRPC's code for "there is no such thing". */
const notFound = 5

/** What operators should know of the Temporal server. Every function throws while it is unreachable. */
export function createServerFacts(context: {
  client: Client
  connection: Connection
  config: Config['temporal']
  /** Applies the common deadline of all calls. */
  withDeadline: <T>(work: () => Promise<T>) => Promise<T>
}) {
  const { client, connection, config, withDeadline } = context
  const { namespace } = config

  return {
    /** How long closed workflows are kept, in hours; undefined if there is no such namespace. */
    async retentionHours(): Promise<number | undefined> {
      try {
        const { config: found } = await withDeadline(() => connection.workflowService.describeNamespace({ namespace }))
        return Number(found?.workflowExecutionRetentionTtl?.seconds ?? 0) / 3600
      } catch (error) {
        if ((error as { code?: unknown }).code === notFound) return undefined
        throw error
      }
    },

    /** The search attributes of our workflows that the namespace lacks. */
    async missingAttributes(): Promise<string[]> {
      const { customAttributes } = await withDeadline(() =>
        connection.operatorService.listSearchAttributes({ namespace }),
      )
      const names = Object.values(searchAttributes).map(({ name }) => name)
      return names.filter((name) => customAttributes?.[name] === undefined)
    },

    /** Its version, how many parts its history has, and what stores it. Temporal Cloud says little. */
    async cluster() {
      const found = await withDeadline(() => connection.workflowService.getClusterInfo({}))
      return {
        version: found.serverVersion ?? '',
        shards: found.historyShardCount ?? 0,
        store: found.persistenceStore ?? '',
      }
    },

    /**
     * The server's time, at some moment during this call: that of the start of a workflow that no worker takes and that
     * ends here. Temporal states its time nowhere else.
     */
    async time(): Promise<Date> {
      const workflowId = `doctor/${newId()}`
      const handle = await withDeadline(() =>
        client.workflow.start('doctor', {
          taskQueue: `${config.taskQueue}-doctor`,
          workflowId,
          workflowExecutionTimeout: '10s',
        }),
      )
      const { startTime } = await withDeadline(() => handle.describe())
      await ifKnown(() => withDeadline(() => handle.terminate(`${ownReason}the time was read`)))
      return startTime
    },
  }
}
