import type { ExecutionContext } from 'ava'
import { onServer } from '../../helpers/database.ts'
import { eventually } from '../../helpers/eventually.ts'
import type { Load } from './load.ts'

export const summary = ({ requests, delivered, chats, followed, resumed }: Load): string =>
  `${requests} requests, ${[...delivered.values()].flat().length} deliveries, ${chats} chat answers, ${followed} runs followed, ${resumed} streams resumed`

/** Everything accepted was run once, one after the other, in the order in which it was accepted. */
export async function assertRecord(t: ExecutionContext, url: string, { delivered }: Load): Promise<void> {
  const read = async () => {
    const { rows } = await onServer(url, (client) => client.query<RecordedRun>(runsStatement))
    return rows
  }
  const unfinished = async () => (await read()).filter(({ ended }) => ended === null)
  for (let left = await unfinished(); left.length > 0;) {
    const before = left
    left = await eventually(30, `one of ${before.length} runs ends`, async () => {
      const found = await unfinished()
      return found.length < before.length ? found : undefined
    })
  }
  const runs = await read()
  t.deepEqual([...new Set(runs.map(({ status }) => status))], ['completed'])
  for (const [agentId, ids] of delivered) {
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

interface RecordedRun {
  id: string
  agent: string
  status: string
  started: Date | null
  ended: Date | null
}

const runsStatement = `
  select id, agent_id as agent, status, started_at as started, ended_at as ended from runs order by agent_id, sequence`
