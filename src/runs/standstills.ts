import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database.ts'
import type { OpenExecution, Polls } from '../temporal-inspection.ts'
import type { Temporal } from '../temporal.ts'
import type { Standstill } from './ghosts.ts'
import { Run } from './run.ts'
import { hasEnded } from './states.ts'

/** How many agents are looked at in one round; the next round begins where this one ended. */
const page = 500

/** An agent that stands still, as the record had it; what is done for it is done only if that is still so. */
export interface StandingAgent {
  agentId: string
  ownerId: string
  progressedAt: Date
  run: { id: string; epoch: number; events: number; isAtWork: boolean } | null
  hasQueued: boolean
  since: Date
}

type Row = Omit<StandingAgent, 'run'> & { runId: string | null; epoch: number; events: number; isAtWork: boolean }

/** What the record and Temporal say together of an agent. */
export interface Comparison extends StandingAgent {
  facts: Standstill
  queue: OpenExecution | null
  workflow: OpenExecution | null
  childId: string | undefined
}

/** Finds agents that have something to do and have stood still, and asks Temporal what it has of each. */
export function createStandstills(context: { database: Database; clock: Clock; config: Config; temporal: Temporal }) {
  const { database, clock, config, temporal } = context
  const patienceMs = config.reconcile.standstillSeconds * 1000
  let after = ''

  /** The next agents, in turn: everyone is looked at before anyone is looked at again. */
  async function next(): Promise<StandingAgent[]> {
    const before = new Date(clock.now().getTime() - patienceMs)
    const { rows } = await database.raw<{ rows: Row[] }>(
      `select q.agent_id as "agentId", a.owner_id as "ownerId", q.progressed_at as "progressedAt",
              r.id as "runId", r.epoch, r.events,
              -- the end of a wait is up to the workflow, so that is work too
              coalesce(r.status = 'running' or r.waiting_until < :before, false) as "isAtWork",
              exists (select 1 from runs w where w.agent_id = q.agent_id and w.status = 'queued') as "hasQueued",
              -- repairs are no progress
              coalesce((select max(e.at) from run_events e where e.run_id = r.id and e.kind <> 'recovered'),
                       q.progressed_at) as since
         from agent_queues q join agents a on a.id = q.agent_id left join runs r on r.id = q.running_run_id
        where q.awake and q.agent_id > :after and greatest(q.progressed_at, r.progressed_at) < :before
        order by q.agent_id limit :page`,
      { before, after, page },
    )
    after = rows.length === page ? (rows.at(-1)?.agentId ?? '') : ''
    return rows.map(({ runId, epoch, events, isAtWork, ...row }) => ({
      ...row,
      run: runId === null ? null : { id: runId, epoch, events, isAtWork },
    }))
  }

  async function compare(agent: StandingAgent, polls: Polls): Promise<Comparison> {
    const { run, hasQueued, since } = agent
    const queue = await temporal.inspection.queue(agent.agentId)
    const workflow = run && (await temporal.inspection.run(run.id))
    const childId = queue?.children[0]
    const child = childId === undefined ? null : await lookAtChild(childId, run?.id, workflow)
    const facts = { now: clock.now(), since, patienceMs, run, hasQueued, queue, workflow, child, polls }
    return { ...agent, facts, queue, workflow, childId }
  }

  async function lookAtChild(childId: string, runId: string | undefined, workflow: OpenExecution | null) {
    if (childId === runId) return { hasEnded: false, workflow }
    const found = await Run.query(database).findById(childId).select('status')
    return { hasEnded: !found || hasEnded(found.status), workflow: await temporal.inspection.run(childId) }
  }

  return { next, compare }
}
