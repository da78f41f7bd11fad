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
  'The outcome of a fire',
)
const reason = named(
  'FireReason',
  v.picklist(Object.keys(fireReasons) as [FireReason, ...FireReason[]]),
  'Why a fire started no run',
)

const fire = named(
  'Fire',
  v.object({
    at: field(time, 'The scheduled time, even if the fire ran late'),
    outcome,
    reason: field(v.nullable(reason), 'Why it started no run; null if it ran', null),
    message: field(v.nullable(v.string()), 'The reason as a sentence', null),
    runId: field(v.nullable(id), 'The run, while it is kept. For a skipped fire, the run recorded as skipped.'),
    recordedAt: field(time, 'When it was recorded'),
  }),
  'A time when an agent was due to run',
)
const warning = named(
  'ScheduleWarning',
  v.object({
    code: named('ScheduleWarningCode', v.picklist(warningCodes), 'The kind of warning'),
    message: field(v.string(), 'The warning, for people', 'Day 31 is not in every month.'),
  }),
  'A warning about a cron expression',
)
const nextFire = named(
  'NextFire',
  v.object({
    at: field(time, 'When it fires'),
    local: field(v.string(), 'The same time in the time zone of the agent', 'Sat 21 Nov 2026, 10:00'),
  }),
  'An upcoming fire',
)
const schedule = named(
  'Schedule',
  v.object({
    cron: field(v.string(), 'The cron expression', '0 9 * * 1-5'),
    timeZone: field(v.string(), 'Its IANA time zone', 'Europe/Berlin'),
    description: field(v.string(), 'The expression in words', 'At 09:00, Monday through Friday'),
    paused: field(v.boolean(), 'Whether the agent is paused, so that fires are skipped', false),
    inStep: field(v.boolean(), 'Whether the scheduler has the current expression'),
    warnings: field(v.array(warning), 'Warnings about the expression'),
    next: field(v.array(nextFire), 'The next ten fires'),
    last: field(v.array(fire), 'The last ten fires, newest first'),
  }),
  'The schedule of an agent',
)

const presentFire = <Row extends { nominalAt: Date }>({ nominalAt, ...rest }: Row) => ({ at: nominalAt, ...rest })

export const getSchedule = route({
  ...shared,
  name: 'getSchedule',
  path: '/agents/{agentId}/schedule',
  summary: "Get an agent's schedule",
  description:
    'Returns the cron expression in words, warnings about it, and the next and the last ten fires. After a change, ' +
    '`inStep` is false for a few seconds, until the scheduler has it. See [Your first ' +
    'schedule](/docs/start/first-schedule).',
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
  summary: "List an agent's scheduled fires",
  description:
    'Newest first: each scheduled time, whether it ran, was skipped or was missed, and why. The current fire may ' +
    'take a few seconds to appear, a missed one up to seven minutes. Kept for a year.',
  query: v.strictObject({ ...paging, outcome: v.optional(outcome) }),
  response: pageOf(fire),
  resource,
  codes: ['AGENT_NOT_FOUND'],
  async handle({ services, resource, query }) {
    const page = await services.schedules.fires(resource, query)
    return { ...page, items: page.items.map(presentFire) }
  },
})
