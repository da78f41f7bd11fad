import * as v from 'valibot'
import { warningCodes } from '../src/schedules/cron/pattern-warnings.ts'
import { fireReasons, recordedOutcomes, type FireReason } from '../src/schedules/fires/fire-reasons.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { id, pageOf, paging, time } from './schemas/schemas.ts'
import { agentNamed as resource } from './route/resources.ts'

const shared = { tag: 'agents', access: 'account', status: 200, method: 'get' } as const

const outcome = named(
  'FireOutcome',
  v.picklist(recordedOutcomes, `must be one of ${recordedOutcomes.join(', ')}`),
  'What became of a fire',
)
const reason = named(
  'FireReason',
  v.picklist(Object.keys(fireReasons) as [FireReason, ...FireReason[]]),
  'Why a fire did not run',
)

/** A fire as its owner sees it. */
const fire = named(
  'Fire',
  v.object({
    at: field(time, 'The nominal time, however late the fire was carried out'),
    outcome,
    reason: field(v.nullable(reason), 'Why it did not run; null if it ran', null),
    message: field(v.nullable(v.string()), 'The reason as a sentence', null),
    runId: field(v.nullable(id), 'The run, for as long as it is kept; for a skipped fire, the run recorded as skipped'),
    recordedAt: field(time, 'When it was recorded'),
  }),
  'One time that the expression named',
)
const warning = named(
  'ScheduleWarning',
  v.object({
    code: named('ScheduleWarningCode', v.picklist(warningCodes), 'What is surprising, for programs'),
    message: field(v.string(), 'What is surprising, for people', 'Day 31 is not in every month.'),
  }),
  'A surprising property of an expression',
)
const nextFire = named(
  'NextFire',
  v.object({
    at: field(time, 'When it fires'),
    local: field(v.string(), 'In the local time of the zone', 'Sat 21 Nov 2026, 10:00'),
  }),
  'A fire to come',
)
const schedule = named(
  'Schedule',
  v.object({
    cron: field(v.string(), 'The expression', '0 9 * * 1-5'),
    timeZone: field(v.string(), 'Its IANA time zone', 'Europe/Berlin'),
    description: field(v.string(), 'The expression in words', 'At 09:00, Monday through Friday'),
    paused: field(v.boolean(), 'Whether the agent is paused; fires are skipped then', false),
    inStep: field(v.boolean(), 'Whether the scheduler has the current expression'),
    warnings: field(v.array(warning), 'What may surprise you'),
    next: field(v.array(nextFire), 'The next ten fires'),
    last: field(v.array(fire), 'The last ten fires, newest first'),
  }),
  'When an agent runs',
)

const presentFire = <Row extends { nominalAt: Date }>({ nominalAt, ...rest }: Row) => ({ at: nominalAt, ...rest })

export const getSchedule = route({
  ...shared,
  name: 'getSchedule',
  path: '/agents/{agentId}/schedule',
  summary: 'Get the schedule of an agent in words, and its fires',
  description:
    'The expression in words, warnings about it, the next ten fires and the last ten. `inStep` is false until a change ' +
    'has reached the scheduler, which takes seconds.',
  response: schedule,
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
    const page = await services.schedules.fires(resource, query)
    return { ...page, items: page.items.map(presentFire) }
  },
})
