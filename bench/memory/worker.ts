import { setTimeout as delay } from 'node:timers/promises'
import { openQueues } from '../drain/queue.ts'
import type { BenchServers } from '../shared/servers.ts'
import { watchMemory } from './resident.ts'
import { memoryRow } from './row.ts'

interface Options {
  agents: number
  /** The counts of runs after which to measure, ascending. */
  after: number[]
  idleSeconds: number
}

/** The memory of a worker process: at its start, and idle after so many runs. */
export async function workerRows(servers: BenchServers, { agents: agentCount, after, idleSeconds }: Options) {
  const pid = Number(servers.processes[1]?.pid)
  const rows: string[][] = []
  const note = async (when: string) => {
    const { minutes, peak } = await watchMemory(pid, () => delay(idleSeconds * 1000))
    rows.push(memoryRow('worker', when, minutes[0] ?? Number.NaN, peak))
    console.log(rows.at(-1)?.join('  '))
  }
  await note('at its start')
  const queues = await openQueues(servers, 10)
  const agents = await queues.agents(agentCount)
  let done = 0
  for (const count of after) {
    await queues.measure(agents, count - done)
    done = count
    await note(`after ${count.toLocaleString('en')} runs`)
  }
  return rows
}
