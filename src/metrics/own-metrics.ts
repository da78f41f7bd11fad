import { Counter, Gauge, Registry } from 'prom-client'
import type { Database } from '../database/database.ts'

/** The most agents of an answer, and the most failed runs of an agent that are counted. */
export const mostAgents = 100
const mostFailed = 1000

interface AgentNumbers {
  id: string
  name: string
  accepted: number
  unfinished: number
  oldestSeconds: number
  failed: number
  approvals: number
  isBlocked: boolean
  tokens: number
  credits: number
}

/**
 * The metrics of an owner's agents, from the record, so that every process answers with the same numbers. The totals
 * never fall: they do not depend on runs that retention deletes.
 */
export function createOwnMetrics({ database }: { database: Database }) {
  return {
    /** In the text format of Prometheus. Of more than a hundred agents, those that used the most tokens this month. */
    async text(ownerId: string): Promise<string> {
      const bindings = { ownerId, mostAgents, mostFailed }
      const { rows } = await database.raw<{ rows: AgentNumbers[] }>(statement, bindings)
      const registry = new Registry()
      for (const { type, name, help, valueOf } of measured) {
        const metric = new type({
          name: `switchyard_agent_${name}`,
          help,
          labelNames: ['agent'],
          registers: [registry],
        })
        for (const row of rows) metric.inc({ agent: row.id }, valueOf(row))
      }
      const info = new Gauge({
        name: 'switchyard_agent_info',
        help: 'Always 1. Gives the names of the agents.',
        labelNames: ['agent', 'name'],
        registers: [registry],
      })
      for (const { id: agent, name } of rows) info.set({ agent, name }, 1)
      return registry.metrics()
    },
  }
}

interface Measured {
  type: typeof Counter<'agent'> | typeof Gauge<'agent'>
  name: string
  help: string
  valueOf: (numbers: AgentNumbers) => number
}

const measured: readonly Measured[] = [
  {
    type: Counter,
    name: 'runs_accepted_total',
    help: 'Runs that were accepted since the agent exists or came to its owner.',
    valueOf: ({ accepted }) => accepted,
  },
  {
    type: Counter,
    name: 'tokens_total',
    help: 'Input and output tokens that its runs used. After a move, counted from the next month.',
    valueOf: ({ tokens }) => tokens,
  },
  {
    type: Counter,
    name: 'credits_total',
    help: 'Credits that its runs used. After a move, counted from the next month.',
    valueOf: ({ credits }) => credits,
  },
  {
    type: Gauge,
    name: 'unfinished_runs',
    help: 'Runs that are queued, running or waiting.',
    valueOf: ({ unfinished }) => unfinished,
  },
  {
    type: Gauge,
    name: 'oldest_run_seconds',
    help: 'The age of the oldest unfinished run; 0 if there is none.',
    valueOf: ({ oldestSeconds }) => oldestSeconds,
  },
  {
    type: Gauge,
    name: 'failed_runs',
    help: `Runs that failed in the last 24 hours. At most ${mostFailed} are counted.`,
    valueOf: ({ failed }) => failed,
  },
  {
    type: Gauge,
    name: 'pending_approvals',
    help: 'Approvals that its runs wait for.',
    valueOf: ({ approvals }) => approvals,
  },
  {
    type: Gauge,
    name: 'blocked',
    help: '1 if queued runs do not start: the agent is paused, or its account must pay. Otherwise 0.',
    valueOf: ({ isBlocked }) => (isBlocked ? 1 : 0),
  },
]

/** The previous owner's runs and months are not the present owner's to see. */
const statement = `
  with busiest as (
    select a.id, a.name, a.moved_at, coalesce(a.moved_sequence, 0) as moved_sequence, a.paused_at
      from agents a left join credit_months m
        on m.subject_id = a.id and m.month = date_trunc('month', now() at time zone 'UTC')::date
     where a.owner_id = :ownerId and a.deleted_at is null
     order by m.tokens desc nulls last, a.id desc limit :mostAgents
  )
  select b.id, b.name, q.last_sequence - b.moved_sequence as accepted, q.unfinished,
         coalesce(extract(epoch from now() - oldest.accepted_at), 0)::float8 as "oldestSeconds",
         (select count(*)::int from (
            select from runs r where r.agent_id = b.id and r.status = 'failed' and r.sequence > b.moved_sequence
               and r.ended_at > now() - interval '24 hours' limit :mostFailed) failed) as failed,
         (select count(*)::int from approvals p
           where p.agent_id = b.id and p.status = 'pending' and p.expires_at > now()) as approvals,
         b.paused_at is not null or q.blocked_cause is not null as "isBlocked",
         used.tokens, used.credits
    from busiest b join agent_queues q on q.agent_id = b.id
    left join lateral (
      select accepted_at from runs r
       where r.agent_id = b.id and r.status in ('queued', 'running', 'waiting') order by sequence limit 1
    ) oldest on true
    cross join lateral (
      select coalesce(sum(m.tokens), 0)::float8 as tokens, coalesce(sum(m.credits), 0)::float8 as credits
        from credit_months m where m.subject_id = b.id and (b.moved_at is null or m.month > b.moved_at)
    ) used
   order by b.id`
