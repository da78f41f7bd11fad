import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Client } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import type { BenchServers } from '../shared/servers.ts'
import type { PlainActivities, plainQueue } from './plain-workflows.ts'

const activities: PlainActivities = { record: async () => undefined, step: async () => undefined }

/** The reference: a worker in this process, with child workflows that do nothing. */
export async function openPlain({ temporal }: BenchServers) {
  Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('ERROR') })
  const taskQueue = 'plain'
  const connection = await NativeConnection.connect({ address: temporal })
  const worker = await Worker.create({
    connection,
    taskQueue,
    activities,
    workflowsPath: fileURLToPath(new URL('plain-workflows.ts', import.meta.url)),
  })
  const running = worker.run()
  const { workflow } = new Client({ connection })
  return {
    async measure(count: number): Promise<number> {
      const began = performance.now()
      await workflow.execute<typeof plainQueue>('plainQueue', { taskQueue, workflowId: randomUUID(), args: [count] })
      return count / ((performance.now() - began) / 1000)
    },
    async close(): Promise<void> {
      worker.shutdown()
      await running
      await connection.close()
    },
  }
}
