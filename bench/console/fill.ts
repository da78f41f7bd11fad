import { Client } from 'pg'
import type { FilledAgent } from '../fill/agents.ts'
import { openCopies } from '../fill/copies.ts'
import { createIds, createRandom, timeOf } from '../fill/ids.ts'
import { createRunRows } from '../fill/runs.ts'
import { createTimelines } from '../fill/timelines.ts'

const day = 86_400_000

/** The number of runs between two checks of how much the server has taken. */
const between = 500

interface Wanted {
  ownerId: string
  agentIds: readonly string[]
  runs: number
  /** The events of the two long runs. */
  events: number
}

/**
 * Gives an owner the runs of a month, which ended in different ways, and two long ones: the last that ended, and one
 * that is running. Nothing runs them, so nothing changes while a page is measured.
 */
export async function fillConsole(url: string, { ownerId, agentIds, runs, events }: Wanted) {
  const random = createRandom()
  const newId = createIds(random)
  const { add, drained, close } = await openCopies(url)
  const agents = agentIds.map((id, number) => agentOf(id, number, ownerId))
  const rows = createRunRows({ add, newId, random, timelines: createTimelines(add, newId) })
  const chosen = () => agents[Math.floor(random() * agents.length)] as FilledAgent
  const since = Date.now() - 30 * day
  for (let number = 0; number < runs; number += 1) {
    rows.ended(chosen(), number, Math.floor(since + (number * 29 * day) / runs), false)
    if (number % between === 0) await drained()
  }
  const ended = rows.long(chosen(), runs, since + 29.5 * day, events, true)
  const running = rows.long(chosen(), runs + 1, since + 29.9 * day, events, false)
  await close()
  await within(url, (client) => count(client, agents))
  return { ended: ended.id, running: running.id }
}

/** An agent that the API created, as the rows of runs need it. */
const agentOf = (id: string, number: number, ownerId: string): FilledAgent => ({
  id,
  number,
  ownerId,
  owner: 1,
  role: 'ordinary',
  trigger: 'manual',
  isSteady: false,
  hasCallbacks: false,
  lastSequence: 0,
  unfinished: 0,
  runningRunId: null,
})

async function count(client: Client, agents: FilledAgent[]): Promise<void> {
  for (const { id, lastSequence, unfinished, runningRunId } of agents)
    await client.query(
      'update agent_queues set last_sequence = $2, unfinished = $3, running_run_id = $4 where agent_id = $1',
      [id, lastSequence, unfinished, runningRunId],
    )
  await client.query('vacuum analyze runs, run_events, steps, tool_calls')
}

/** Appends waits of no length to a running run, a few at a time, until `isOver`. */
export const appendUntil = (url: string, runId: string, isOver: () => boolean): Promise<void> =>
  within(url, async (client) => {
    while (!isOver()) {
      await client.query(append, [runId, timeOf(Date.now())])
      await client.query('select pg_sleep(0.05)')
    }
  })

const append = `
  with run as (update runs set events = events + 4 where id = $1 returning events)
  insert into run_events (run_id, number, kind, at, data)
  select $1, events - 4 + n, case n % 2 when 1 then 'wait.started' else 'wait.ended' end::run_event_kind, $2,
         json_build_object('cause', 'rate_limit', 'site', 'https://issues.example.com', 'ms', 0)
    from run, generate_series(1, 4) n`

async function within(connectionString: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
