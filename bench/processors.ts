import { join } from 'node:path'
import { sharedMb, usedMs } from './processors/used.ts'
import { openQueues } from './drain/queue.ts'
import { deliver } from '../test/helpers/people.ts'
import { temporaryFolder } from './shared/folder.ts'
import { numbersGiven } from './shared/options.ts'
import { publish } from './shared/report.ts'
import { openBenchServers, type BenchServers } from './shared/servers.ts'

/**
 * `npm run bench -- processors [--deliveries 2000] [--runs 300] [--agents 50]`: the processor time of every process for
 * one delivery and for one run of one step, which docs/operate/scaling.md reckons with. Needs Linux.
 */
const { deliveries, runs, agents: agentCount } = numbersGiven({ deliveries: 2000, runs: 300, agents: 50 })

type Names = 'API' | 'worker' | 'Postgres' | 'Temporal'
const rows: string[][] = []

const pidsOf = ({ processes: [api, worker], pidOf }: BenchServers): Partial<Record<Names, number>> => ({
  API: Number(api?.pid),
  ...(worker && { worker: Number(worker.pid) }),
  Postgres: pidOf('postgres'),
  ...(worker && { Temporal: pidOf('temporal') }),
})

/** Adds a row: milliseconds of each process for one of `count`, or MB. */
async function measure(
  servers: BenchServers,
  what: string,
  count: number,
  work: () => Promise<unknown>,
): Promise<void> {
  const pids = pidsOf(servers)
  const used = () => Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, usedMs(pid)]))
  const before = used()
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1000
  const after = used()
  const names = ['API', 'worker', 'Postgres', 'Temporal']
  const each = names.map((name) => (name in pids ? ((after[name]! - before[name]!) / count).toFixed(2) : ''))
  rows.push([what, ...each, (count / seconds).toFixed(0)])
  const memory = names.map((name) => (name in pids ? sharedMb(pids[name as Names]!).toFixed(0) : ''))
  rows.push([`${what}: MB afterward`, ...memory, ''])
  for (const row of rows.slice(-2)) console.log(row.join('  '))
}

async function withServers(name: string, carryOut: boolean, work: (servers: BenchServers) => Promise<void>) {
  const servers = await openBenchServers(join(temporaryFolder, name), carryOut)
  try {
    await work(servers)
  } finally {
    await servers.close()
  }
}

await withServers('deliveries', false, async (servers) => {
  const agents = await (await openQueues(servers, 10)).agents(agentCount)
  const send = async (count: number, width: number): Promise<void> => {
    let number = 0
    const sender = async (): Promise<void> => {
      while (number < count) {
        number += 1
        const { status } = await deliver(servers, agents[number % agents.length]!, { number, text: 'x'.repeat(900) })
        if (status !== 202) throw new Error(`a delivery was answered with ${status}`)
      }
    }
    await Promise.all(Array.from({ length: width }, sender))
  }
  await send(deliveries / 2, 32)
  await measure(servers, 'a delivery, one at a time', deliveries, () => send(deliveries, 1))
  await measure(servers, 'a delivery, 32 at a time', deliveries, () => send(deliveries, 32))
})

await withServers('runs', true, async (servers) => {
  const queues = await openQueues(servers, 10)
  const agents = await queues.agents(agentCount)
  await queues.measure(agents, agentCount * 2)
  const alone = runs / 5
  await measure(servers, 'a run, one after the other', alone, () => queues.measure(agents.slice(0, 1), alone))
  await measure(servers, `a run of ${agentCount} agents at once`, runs, () => queues.measure(agents, runs))
})

publish({
  title: 'What a run takes of the processors',
  text: [
    `Milliseconds of processor time, as Linux counts them for each process and its children: for one of ${deliveries} ` +
      'deliveries of about a thousand bytes, of which no run starts, and for one run of one step with the demo model, ' +
      'with its delivery. Temporal is the server of `npm start`, which keeps its data in SQLite. Under each, the memory ' +
      'in MB, in which shared pages count once.',
  ],
  columns: ['what', 'API', 'worker', 'Postgres', 'Temporal', 'a second'],
  rows,
  notes: [],
})
