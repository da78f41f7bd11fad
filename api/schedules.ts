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
  'Outcome of a scheduled run',
)
const reason = named(
  'FireReason',
  v.picklist(Object.keys(fireReasons) as [FireReason, ...FireReason[]]),
  'Reason why a scheduled run did not start',
)

const fire = named(
  'Fire',
  v.object({
    at: field(time, 'Scheduled time, even if it was handled late'),
    outcome,
    reason: field(v.nullable(reason), 'Why no run started. Null if a run started.', null),
    message: field(v.nullable(v.string()), '`reason` as a sentence, or null if there is no reason', null),
    runId: field(
      v.nullable(id),
      'Run that started, or the run that was recorded as skipped. Null if there is none, or if it has been deleted.',
    ),
    recordedAt: field(time, 'When the outcome was recorded'),
  }),
  'Time when an agent was due to run',
)
const warning = named(
  'ScheduleWarning',
  v.object({
    code: named('ScheduleWarningCode', v.picklist(warningCodes), 'Kind of warning'),
    message: field(v.string(), 'Human-readable warning', 'Not every month has a day 31.'),
  }),
  'Warning about a cron expression',
)
const nextFire = named(
  'NextFire',
  v.object({
    at: field(time, 'Scheduled time'),
    local: field(v.string(), "Same time in the agent's time zone", 'Sat 21 Nov 2026, 10:00'),
  }),
  'Upcoming scheduled time',
)
const schedule = named(
  'Schedule',
  v.object({
    cron: field(v.string(), 'Cron expression', '0 9 * * 1-5'),
    timeZone: field(v.string(), 'IANA time zone of the schedule', 'Europe/Berlin'),
    description: field(v.string(), 'Cron expression in words', 'At 09:00, Monday through Friday'),
    paused: field(v.boolean(), 'Whether the agent is paused, in which case scheduled runs are skipped', false),
    inStep: field(v.boolean(), 'Whether the scheduler has the current schedule'),
    warnings: field(v.array(warning), 'Warnings about the cron expression'),
    next: field(v.array(nextFire), 'Next ten scheduled times'),
    last: field(v.array(fire), 'Last ten scheduled times, newest first'),
  }),
  'Agent schedule',
)

const presentFire = <Row extends { nominalAt: Date }>({ nominalAt, ...rest }: Row) => ({ at: nominalAt, ...rest })

export const getSchedule = route({
  ...shared,
  name: 'getSchedule',
  path: '/agents/{agentId}/schedule',
  summary: "Get an agent's schedule",
  description:
    'Returns the cron expression in words, warnings about it, and the next ten and last ten scheduled times. After a change, `inStep` is false for a few seconds, until the scheduler has the new schedule. See [Your first ' +
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
  summary: "List an agent's scheduled times",
  description:
    'Newest first. Shows whether the run at each scheduled time started, was skipped or was missed, and why. A scheduled time can take a few seconds to appear, or up to seven minutes if it was missed. Scheduled times are retained for a year.',
  query: v.strictObject({ ...paging, outcome: v.optional(outcome) }),
  response: pageOf(fire),
  resource,
  codes: ['AGENT_NOT_FOUND'],
  async handle({ services, resource, query }) {
    const page = await services.schedules.fires(resource, query)
    return { ...page, items: page.items.map(presentFire) }
  },
})
