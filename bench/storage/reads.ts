import { createBackfill } from '../../src/schedules/fires/backfill.ts'
import { startPosition } from '../../src/runs/live/partial-answer.ts'
import { pollRuns } from '../../src/runs/live/poll-watched.ts'
import { inTurn, neverRead, simple, type Operation } from './operation.ts'
import type { MeasuredAgent, Side } from './side.ts'
import type { Role } from '../fill/agents.ts'

const first = (side: Side, role: Role): MeasuredAgent => side.agentsOf(role)[0] as MeasuredAgent

const whyOf = (role: Role): Operation =>
  simple(`why of an agent: ${role}`, (side) => side.services.why.ofAgent(first(side, role)))

async function lastRun({ services }: Side, { id: agentId, ownerId }: MeasuredAgent) {
  const { items } = await services.runs.reading.list(ownerId, { agentId, limit: 1 })
  return items[0] as (typeof items)[0]
}

/** A clock has milliseconds and the database microseconds, so these must not become due a little later. */
const dueStatement = `
  insert into due_agents (agent_id, due_at) select unnest(:agentIds::uuid[]), now() - interval '1 second'`

/** Due agents: idle ones, with waiting runs, with queues. This is the part of a round that needs no Temporal. */
function dueAgents(side: Side): string[] {
  const some = (role: Role, count: number) => side.agentsOf(role).slice(0, count)
  const queued = [...some('short queue', 9), ...some('waiting', 17), ...some('paused queue', 1)]
  return [...some('biggest', 1), ...some('ordinary', 22), ...queued].map(({ id }) => id)
}

const round: Operation = {
  names: ['reconciler round, 50 agents due'],
  async run(side, _turn, time) {
    const { database, runs } = side.services
    const bindings = { agentIds: dueAgents(side) }
    await database.raw('delete from due_agents where agent_id = any(:agentIds) or due_at < now()', bindings)
    await database.raw(dueStatement, bindings)
    await time('reconciler round, 50 agents due', () => runs.reconciler.round())
  },
}

/** Frequent reads by users and by loops. */
export const reads: Operation[] = [
  simple('a run', ({ services, bare }, turn) =>
    services.runs.reading.get(inTurn(bare, turn).ownerId, inTurn(bare, turn).id),
  ),
  {
    ...simple('a run that nobody has read for long', ({ services, bare }, turn) =>
      services.runs.reading.get(neverRead(bare, turn).ownerId, neverRead(bare, turn).id),
    ),
    isCold: true,
  },
  {
    ...simple('timeline that nobody has read for long', ({ services, full }, turn) =>
      services.runs.reading.timeline(neverRead(full, turn), 0, 25),
    ),
    isCold: true,
  },
  simple('timeline of a run, first page', ({ services, full }, turn) =>
    services.runs.reading.timeline(inTurn(full, turn), 0, 25),
  ),
  simple('timeline of a run, after 5 events', ({ services, full }, turn) =>
    services.runs.reading.timeline(inTurn(full, turn), 5, 25),
  ),
  {
    names: ['receipt of the last run of a long queue', 'why of the last run of a long queue'],
    async run(side, _turn, time) {
      const agent = first(side, 'long queue')
      const run = await lastRun(side, agent)
      await time('receipt of the last run of a long queue', () => side.services.runs.reading.receipt(agent.id, run.id))
      await time('why of the last run of a long queue', () => side.services.why.ofRun(run))
    },
  },
  simple('why of an ended run', ({ services, bare }, turn) => services.why.ofRun(inTurn(bare, turn))),
  ...(['biggest', 'long queue', 'paused queue', 'waiting', 'running'] as const).map(whyOf),
  simple('poll of 100 watched runs', ({ services, full }) =>
    pollRuns(
      services.database,
      full.slice(0, 100).map(({ id }) => ({ ...startPosition, runId: id })),
    ),
  ),
  round,
  simple('look for forgotten agents', ({ services }) => services.forgotten.mark()),
  simple('due callbacks, none', ({ services }) => services.deliverCallbacks()),
  simple('due mails, none', ({ services }) => services.mails.send()),
  simple('retention round, nothing old', async ({ services: { retention } }) => {
    await retention.purge(new AbortController().signal)
    await retention.purgeTimelines(new AbortController().signal)
  }),
  simple('missed fires of today, none', ({ services }) => createBackfill(services).notifyMissed()),
  simple('old fires, none', ({ services }) => services.scheduleSync.purge()),
  simple('abandoned tool calls, none', ({ services }) => services.tools.closeAbandoned()),
]
