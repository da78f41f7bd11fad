import type { Database } from '../../../src/database/database.ts'
import { eventually } from '../../helpers/eventually.ts'
import { deliver, webhookAgent, type Person } from '../../helpers/people.ts'
import { connected, type Stage } from '../stage.ts'

/** The defaults of the settings that decide how soon something lost is found, in place of the quick ones of other tests. */
export const usualPatience = { RECONCILE_SECONDS: '2', STALL_SECONDS: '10' }

/** A call that must not be repeated, and lasts so long. */
export const once = (seconds: number): string => `[[call slow_once {"seconds":${seconds}}]]`

export interface Worker {
  owner: Person
  agent: Awaited<ReturnType<typeof webhookAgent>>
}

interface Wanted {
  agents: number
  /** How many agents share an owner. */
  each: number
  /** What their runs do, unless a delivery says otherwise. */
  script: string
}

/** Agents that may call tools which must not be repeated. */
export async function openAgents(stage: Stage, { agents, each, script }: Wanted): Promise<Worker[]> {
  const workers: Worker[] = []
  while (workers.length < agents) {
    const { someone: owner, sites } = await connected(stage)
    for (let nth = 0; nth < each && workers.length < agents; nth += 1) {
      const fields = { systemPrompt: script, sites, allowActionOverride: true }
      workers.push({ owner, agent: await webhookAgent(owner, fields) })
    }
  }
  return workers
}

/** Delivers to each agent so often, and returns the runs in order of acceptance. */
export async function deliverTo(
  stage: Pick<Stage, 'platform'>,
  workers: Worker[],
  times: number,
  payload: (nth: number) => object = () => ({}),
): Promise<string[]> {
  const runs: string[] = []
  for (let time = 0; time < times; time += 1)
    for (const [nth, { agent }] of workers.entries())
      runs.push((await deliver(stage.platform, agent, payload(nth))).body.runId)
  return runs
}

/** How many runs are in each state. */
export async function stateOf(database: Database): Promise<Record<'queued' | 'active' | 'ended', number>> {
  const { rows } = await database.raw<{ rows: [Record<'queued' | 'active' | 'ended', number>] }>(stateStatement)
  return rows[0]
}

const stateStatement = `
  select count(*) filter (where status = 'queued')::int as queued,
         count(*) filter (where status in ('running', 'waiting'))::int as active,
         count(*) filter (where ended_at is not null)::int as ended
    from runs`

/** Waits for a state of the runs, and shows on the way how far they are. */
export async function until(
  database: Database,
  { seconds, what }: { seconds: number; what: string },
  fits: (state: Awaited<ReturnType<typeof stateOf>>) => boolean,
) {
  let shown = 0
  return eventually(seconds, what, async () => {
    const state = await stateOf(database)
    if (Date.now() - shown > 15_000) {
      shown = Date.now()
      process.stderr.write(`  until ${what}: ${JSON.stringify(state)}\n`)
    }
    return fits(state) ? state : undefined
  })
}

export const allOver = ({ queued, active }: { queued: number; active: number }): boolean => queued + active === 0

/** How many calls are under way, by the record. */
export async function callsUnderWay(database: Database): Promise<number> {
  const row = await database('tool_calls').where({ status: 'started' }).count<{ count: string }[]>().first()
  return Number(row?.count)
}
