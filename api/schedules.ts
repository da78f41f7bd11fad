import * as v from 'valibot'
import { fireReasons, recordedOutcomes, type FireReason } from '../src/schedules/fires/fire-reasons.ts'
import type { Services } from '../src/services.ts'
import { route } from './route/route.ts'
import { id, pageOf, paging, time } from './schemas/schemas.ts'

type Named = { services: Services; caller: { userId: string }; params: { agentId: string } }
const resource = ({ services, caller, params }: Named) => services.agents.get(caller.userId, params.agentId)

const shared = { tag: 'agents', access: 'account', status: 200, method: 'get' } as const

const outcome = v.picklist(recordedOutcomes, `must be one of ${recordedOutcomes.join(', ')}`)

/** A fire as its owner sees it. */
const fire = v.object({
  at: v.pipe(time, v.metadata({ description: 'The nominal time, however late the fire was carried out' })),
  outcome,
  reason: v.nullable(v.picklist(Object.keys(fireReasons) as [FireReason, ...FireReason[]])),
  message: v.pipe(v.nullable(v.string()), v.metadata({ description: 'The reason as a sentence' })),
  runId: v.pipe(
    v.nullable(id),
    v.metadata({
      description: 'The run, for as long as it is kept; for a skipped fire, the run recorded as skipped',
    }),
  ),
  recordedAt: time,
})

const presentFire = <Row extends { nominalAt: Date }>({ nominalAt, ...rest }: Row) => ({ at: nominalAt, ...rest })

export const getSchedule = route({
  ...shared,
  name: 'getSchedule',
  path: '/agents/{agentId}/schedule',
  summary: 'Get the schedule of an agent in words, and its fires',
  description:
    'The expression in words, warnings about it, the next ten fires and the last ten. `inStep` is false until a change ' +
    'has reached the scheduler, which takes seconds.',
  response: v.object({
    cron: v.string(),
    timeZone: v.string(),
    description: v.string(),
    paused: v.boolean(),
    inStep: v.boolean(),
    warnings: v.array(v.object({ code: v.string(), message: v.string() })),
    next: v.array(
      v.object({ at: time, local: v.pipe(v.string(), v.metadata({ description: 'In the local time of the zone' })) }),
    ),
    last: v.array(fire),
  }),
  resource,
  codes: ['AGENT_NOT_FOUND', 'NOT_FOUND'],
  async handle({ services, resource }) {
    const view = await services.schedules.view(resource)
    return { ...view, last: view.last.map(presentFire) }
  },
})

export const listFires = route({
  ...shared,
  name: 'listFires',
  path: '/agents/{agentId}/fires',
  summary: 'List the fires of an agent, newest first',
  description:
    'One item for each time that the expression named while it was in force: it ran, was skipped or was missed, and ' +
    'why. The current fire may take some seconds to appear, a missed one up to seven minutes. Kept for a year.',
  query: v.strictObject({ ...paging, outcome: v.optional(outcome) }),
  response: pageOf(fire),
  resource,
  codes: ['AGENT_NOT_FOUND'],
  async handle({ services, resource, query }) {
    const page = await services.schedules.fires(resource.id, query)
    return { ...page, items: page.items.map(presentFire) }
  },
})
