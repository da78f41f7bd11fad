import { writeCursor } from '../../src/database/cursor.ts'
import type { Period } from '../../src/database/paging.ts'
import { triggers } from '../../src/runs/run.ts'
import { runStatuses } from '../../src/runs/states.ts'
import { inTurn, simple, type Operation } from './operation.ts'
import type { MeasuredAgent, Side } from './side.ts'

const limit = 20

const biggest = (side: Side): MeasuredAgent => side.agentsOf('biggest')[0] as MeasuredAgent
/** In the form that lists need. */
const unmoved = ({ id, ownerId }: MeasuredAgent) => ({ id, ownerId, movedAt: null })
const statuses = [undefined, ...runStatuses] as const
const origins = [undefined, ...triggers] as const

/** The lists of runs with every combination of filters, of the biggest agent and of its owner. */
function runLists(): Operation[] {
  const pages = [false, true].flatMap((deep) => [false, true].map((ofAgent) => ({ deep, ofAgent })))
  return pages.flatMap(({ deep, ofAgent }) =>
    statuses.flatMap((status) =>
      origins.map((trigger) => {
        const name = `runs of ${ofAgent ? 'an agent' : 'an owner'}, ${status ?? 'any status'}, ${trigger ?? 'any trigger'}, ${deep ? 'deep' : 'first'} page`
        return simple(name, (side) => listRuns(side, { status, trigger, deep, ofAgent }))
      }),
    ),
  )
}

/** The time in an id. */
const timeIn = (id: string): Date => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))

const day = 24 * 60 * 60_000

/** A day in the middle of the agent's life, or everything before that day. */
function ofPeriod(side: Side, isDay: boolean): Period {
  const until = timeIn(biggest(side).middleRunId)
  return isDay ? { since: new Date(until.getTime() - day), until } : { until }
}

/** The lists of runs of a period, with every status. */
const runPeriods = (): Operation[] =>
  [false, true].flatMap((ofAgent) =>
    [false, true].flatMap((isDay) =>
      statuses.map((status) => {
        const name = `runs of ${ofAgent ? 'an agent' : 'an owner'}, ${status ?? 'any status'}, ${isDay ? 'of a day' : 'until then'}`
        return simple(name, (side) => {
          const { id, ownerId } = biggest(side)
          const filter = { status, ...(ofAgent && { agentId: id }), ...ofPeriod(side, isDay) }
          return side.services.runs.reading.list(ownerId, { limit, ...filter })
        })
      }),
    ),
  )

interface Wanted {
  status: (typeof statuses)[number]
  trigger: (typeof origins)[number]
  deep: boolean
  ofAgent: boolean
}

function listRuns(side: Side, { status, trigger, deep, ofAgent }: Wanted): Promise<unknown> {
  const { id, ownerId, lastSequence, middleRunId } = biggest(side)
  const middle = ofAgent ? writeCursor('agent-runs', String(lastSequence >> 1)) : writeCursor('runs', middleRunId)
  const filter = { status, trigger, ...(ofAgent && { agentId: id }), ...(deep && { cursor: middle }) }
  return side.services.runs.reading.list(ownerId, { limit, ...filter })
}

/** Measures the first page and a later page of a list. Some tables have rows of the last fifth of the time only. */
function pages<T extends { items: { id: string }[] }>(
  name: string,
  list: 'callbacks' | 'ledger',
  read: (side: Side, request: { limit: number; cursor?: string }) => Promise<T>,
): Operation[] {
  return [
    simple(`${name}, first page`, (side) => read(side, { limit })),
    simple(`${name}, deep page`, (side) => read(side, { limit, cursor: writeCursor(list, biggest(side).lateRunId) })),
  ]
}

const former = (side: Side): MeasuredAgent => side.agentsOf('former')[0] as MeasuredAgent

const scheduled = (side: Side): MeasuredAgent => side.agentsOf('scheduled')[0] as MeasuredAgent

/** The lists of an owner whose runs are all old. */
const ofFormer = [
  simple('runs of a former owner', (side) => side.services.runs.reading.list(former(side).ownerId, { limit })),
  simple('runs of a former owner, completed', (side) =>
    side.services.runs.reading.list(former(side).ownerId, { limit, status: 'completed' }),
  ),
  simple('runs of a former agent', (side) =>
    side.services.runs.reading.list(former(side).ownerId, { limit, agentId: former(side).id }),
  ),
  simple('callbacks of a former agent', (side) => side.services.callbacks.list(unmoved(former(side)), { limit })),
  simple('ledger of a former owner', (side) => side.services.billing.credits.ledger(former(side).ownerId, { limit })),
]

/** Every list that grows with the runs. The ids of all tables contain the time, so a run's id works as a cursor. */
export const lists: Operation[] = [
  ...runLists(),
  ...runPeriods(),
  ...ofFormer,
  simple('runs of an ordinary owner, failed', ({ services, bare }, turn) =>
    services.runs.reading.list(inTurn(bare, turn).ownerId, { limit, status: 'failed' }),
  ),
  simple('runs of an ordinary agent', ({ services, bare }, turn) =>
    services.runs.reading.list(inTurn(bare, turn).ownerId, { limit, agentId: inTurn(bare, turn).agentId }),
  ),
  simple('agents of an owner', (side) => side.services.agents.list(biggest(side).ownerId, { limit })),
  ...pages('callbacks of an agent', 'callbacks', (side, request) =>
    side.services.callbacks.list(unmoved(biggest(side)), request),
  ),
  simple('callbacks of an agent, failed', (side) =>
    side.services.callbacks.list(unmoved(biggest(side)), { limit, status: 'failed' }),
  ),
  ...pages('ledger of an owner', 'ledger', (side, request) =>
    side.services.billing.credits.ledger(biggest(side).ownerId, request),
  ),
  simple('notifications of an owner', (side) => side.services.notifications.list(former(side).ownerId, { limit })),
  simple('notifications of an owner, of a rare kind', (side) =>
    side.services.notifications.list(former(side).ownerId, { limit, kind: 'queue_blocked' }),
  ),
  simple('fires of an agent', (side) => side.services.schedules.fires(unmoved(scheduled(side)), { limit })),
  simple('fires of an agent, missed', (side) =>
    side.services.schedules.fires(unmoved(scheduled(side)), { limit, outcome: 'missed' }),
  ),
]
