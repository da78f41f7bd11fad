import type { ExecutionContext } from 'ava'
import { onServer } from '../../helpers/database.ts'
import { eventually } from '../../helpers/eventually.ts'

/** By agent: runs in the order in which they were accepted. */
export type Delivered = Map<string, { runId: string; sentAt: number }[]>

interface RecordedRun {
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

export interface EndedRun {
  sentAt: number
  endedAt: number
}

/** Waits until the runs have ended. */
export async function allEnded(url: string, delivered: Delivered): Promise<EndedRun[]> {
  const sent = new Map([...delivered.values()].flat().map(({ runId, sentAt }) => [runId, sentAt]))
  return eventually(120, 'all runs end', async () => {
    const own = (await read(url)).filter(({ id }) => sent.has(id))
    if (own.length < sent.size || own.some(({ ended }) => ended === null)) return undefined
    return own.map(({ id, ended }) => ({ sentAt: sent.get(id) as number, endedAt: Number(ended) }))
  })
}

/** Everything accepted was run once, one after the other, in the order in which it was accepted. */
export async function assertRecord(t: ExecutionContext, url: string, delivered: Delivered): Promise<void> {
  const runs = await read(url)
  t.deepEqual([...new Set(runs.map(({ status }) => status))], ['completed'])
  for (const [agentId, sent] of delivered) {
    const own = runs.filter((run) => run.agent === agentId)
    t.deepEqual(
      own.map(({ id }) => id),
      sent.map(({ runId }) => runId),
      'deliveries were lost, added or reordered',
    )
    const overlaps = own.filter(({ started }, index) => Number(started) < Number(own[index - 1]?.ended ?? 0))
    t.deepEqual(overlaps, [])
  }
}
