import type { ExecutionContext } from 'ava'
import { onServer } from '../../helpers/database.ts'
import { eventually } from '../../helpers/eventually.ts'

/** By agent: the ids of its runs in the order in which they were accepted. */
export type Accepted = Map<string, string[]>

export interface RecordedRun {
  id: string
  agent: string
  status: string
  started: Date | null
  ended: Date | null
}

const runsStatement = `
  select id, agent_id as agent, status, started_at as started, ended_at as ended from runs order by agent_id, sequence`

const read = (url: string): Promise<RecordedRun[]> =>
  onServer(url, async (client) => (await client.query<RecordedRun>(runsStatement)).rows)

/** Waits until all runs have ended, and returns them. Throws if no run ends for two minutes. */
export async function allEnded(url: string): Promise<RecordedRun[]> {
  const unfinished = (runs: RecordedRun[]) => runs.filter(({ ended }) => ended === null).length
  let runs = await read(url)
  while (unfinished(runs) > 0) {
    const before = unfinished(runs)
    runs = await eventually(120, `one of ${before} runs ends`, async () => {
      const found = await read(url)
      return unfinished(found) < before ? found : undefined
    })
  }
  return runs
}

/** Everything accepted was run once, one after the other, in the order in which it was accepted, and nothing else was run. */
export async function assertRecord(t: ExecutionContext, url: string, accepted: Accepted): Promise<void> {
  const runs = await allEnded(url)
  t.deepEqual([...new Set(runs.map(({ status }) => status))], ['completed'])
  const others = runs.filter(({ agent }) => !accepted.has(agent))
  t.deepEqual(others, [], 'agents ran that nobody had asked')
  for (const [agentId, ids] of accepted) {
    const own = runs.filter((run) => run.agent === agentId)
    t.deepEqual(
      own.map(({ id }) => id),
      ids,
      'deliveries were lost, added or reordered',
    )
    const overlaps = own.filter(({ started }, index) => Number(started) < Number(own[index - 1]?.ended ?? 0))
    t.deepEqual(overlaps, [])
  }
}
