import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Client } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import type { BenchServers } from '../shared/servers.ts'
import type { PlainActivities, plainQueue } from './plain-workflows.ts'

/** The reference: a worker in this process, with child workflows that do nothing. */
export async function openPlain({ temporal }: Pick<BenchServers, 'temporal'>) {
  Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('ERROR') })
  const taskQueue = 'plain'
  let [stepBegan, firstRecorded, lastRecorded] = [0, 0, 0]
  const activities: PlainActivities = {
    record: async () => {
      lastRecorded = performance.now()
      firstRecorded ||= lastRecorded
    },
    step: async () => void (stepBegan = performance.now()),
  }
  const connection = await NativeConnection.connect({ address: temporal })
  const worker = await Worker.create({
    connection,
    taskQueue,
    activities,
    workflowsPath: fileURLToPath(new URL('plain-workflows.ts', import.meta.url)),
  })
  const running = worker.run()
  const { workflow } = new Client({ connection })
  const start = (count: number) =>
    workflow.start<typeof plainQueue>('plainQueue', { taskQueue, workflowId: randomUUID(), args: [count] })

  return {
    /** Starts a queue of this many empty child workflows. */
    start,
    /**
     * Empty child workflows per second of some queues together, each with its share of them, from the first record,
     * which precedes a child, to the last, which ends one.
     */
    async measure(count: number, queues = 1): Promise<number> {
      firstRecorded = 0
      const handles = await Promise.all(Array.from({ length: queues }, () => start(count / queues)))
      await Promise.all(handles.map((handle) => handle.result()))
      return count / ((lastRecorded - firstRecorded) / 1000)
    },
    /** Milliseconds from the start of a queue until its first step begins, one queue after the other. */
    async timeToStep(count: number): Promise<number[]> {
      const times: number[] = []
      for (let number = 0; number < count; number += 1) {
        const began = performance.now()
        await (await start(1)).result()
        times.push(stepBegan - began)
      }
      return times
    },
    async close(): Promise<void> {
      worker.shutdown()
      await running
      await connection.close()
    },
  }
}
