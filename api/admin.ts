import * as v from 'valibot'
import { assertThat } from '../src/errors.ts'
import { maxPerMinute } from '../src/tools/host-proposals.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { exampleIds } from './schemas/example-ids.ts'
import { id, listOf, text, time } from './schemas/schemas.ts'

const why = 'Human-readable reason for the pause or suspension'
const hold = named(
  'HostHold',
  v.object({
    until: field(time, 'When the pause ends'),
    reason: field(v.nullable(v.string()), why, 'The site responded with 429.'),
  }),
  "Pause in calls to the host's tools, requested by the host",
)
const suspension = named(
  'HostSuspension',
  v.object({
    at: field(time, 'Time of the suspension'),
    by: field(v.nullable(id), 'Admin who suspended the host', exampleIds.user),
    reason: field(v.nullable(v.string()), why, 'Its owner asked us to stop.'),
  }),
  'Suspension of all tool calls to the host',
)
const host = named(
  'Host',
  v.object({
    host: field(v.string(), 'Host name, with the port unless it is 443', 'tracker.example.com'),
    held: field(v.nullable(hold), 'Pause that the host requested, if any', null),
    suspended: field(v.nullable(suspension), 'Suspension, if any'),
    callsPerMinute: field(
      v.nullable(v.number()),
      'Limit set by an admin, in calls per minute. Null for the default limit.',
      null,
    ),
    proposedPerMinute: field(
      v.nullable(v.number()),
      'Limit that the manifest requests, in calls per minute. This limit has no effect until an admin sets it.',
      60,
    ),
  }),
  'Tool host that is paused or suspended, has its own limit, or requests one',
)

const shared = { tag: 'admin', access: 'admin', path: '/admin/hosts/{host}' } as const
const spelling =
  'Write the host in lowercase. Include the port only if `OUTGOING_COUNT_PORTS` is true and the port is not 443.'

export const listHosts = route({
  ...shared,
  name: 'listHosts',
  method: 'get',
  path: '/admin/hosts',
  summary: 'List paused, suspended and limited hosts',
  description:
    'Lists up to 1,000 hosts, sorted by name. Hosts that only request a different limit in their manifest come last. See [Hosts](/docs/operate/hosts).',
  status: 200,
  response: listOf(host),
  handle: async ({ services }) => ({ items: await services.hosts.list() }),
})

export const suspendHost = route({
  ...shared,
  name: 'suspendHost',
  audit: { subject: 'host' },
  method: 'put',
  summary: 'Suspend a host',
  description: `None of the host's tools are called until an admin lifts the suspension. ${spelling}`,
  body: v.strictObject({ reason: field(text(500), why, 'Its owner asked us to stop.') }),
  status: 200,
  response: host,
  handle: ({ services, caller, params, body }) => services.hosts.suspend(params.host, caller.userId, body.reason),
})

export const liftHost = route({
  ...shared,
  name: 'liftHost',
  audit: { subject: 'host' },
  method: 'delete',
  summary: "Lift a host's suspension",
  description: `The host's tools can be called again. ${spelling}`,
  status: 204,
  codes: ['NOT_FOUND'],
  async handle({ services, caller, params }) {
    const lifted = await services.hosts.lift(params.host, caller.userId)
    const message =
      'This host is not suspended. To end a pause that the host requested, use DELETE /admin/hosts/{host}/hold.'
    assertThat(lifted, 'NOT_FOUND', { message })
  },
})

export const endHold = route({
  ...shared,
  name: 'endHold',
  audit: { subject: 'host' },
  method: 'delete',
  path: '/admin/hosts/{host}/hold',
  summary: "End a host's pause",
  description: `Ends a pause that the host requested. The host's tools can be called again, within the host's limit. ${spelling}`,
  status: 204,
  codes: ['NOT_FOUND'],
  async handle({ services, caller, params }) {
    const ended = await services.hosts.endHold(params.host, caller.userId)
    assertThat(ended, 'NOT_FOUND', { message: 'This host has not requested a pause.' })
  },
})

export const limitHost = route({
  ...shared,
  name: 'limitHost',
  audit: { subject: 'host' },
  method: 'put',
  path: '/admin/hosts/{host}/limit',
  summary: "Set a host's call limit",
  description: `Overrides \`OUTGOING_PER_MINUTE\` for calls to this host by all owners combined, starting with the next call. ${spelling}`,
  body: v.strictObject({
    callsPerMinute: field(
      v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxPerMinute)),
      'Maximum number of calls in any 60 seconds',
      60,
    ),
  }),
  status: 200,
  response: host,
  handle: ({ services, caller, params, body }) =>
    services.hosts.setLimit(params.host, caller.userId, body.callsPerMinute),
})

export const unlimitHost = route({
  ...shared,
  name: 'unlimitHost',
  audit: { subject: 'host' },
  method: 'delete',
  path: '/admin/hosts/{host}/limit',
  summary: "Remove a host's call limit",
  description: `\`OUTGOING_PER_MINUTE\` applies to the host again. ${spelling}`,
  status: 204,
  codes: ['NOT_FOUND'],
  async handle({ services, caller, params }) {
    const removed = await services.hosts.removeLimit(params.host, caller.userId)
    assertThat(removed, 'NOT_FOUND', { message: 'This host has no custom limit.' })
  },
})

const worker = named(
  'Worker',
  v.object({
    id,
    taskQueue: field(v.string(), 'Task queue that the worker polls', 'switchyard'),
    version: field(v.string(), "Version of the worker's code", '0.1.0'),
    present: field(v.boolean(), 'Whether the worker reported recently and was polling for work at that time'),
    polling: field(v.boolean(), 'Whether the worker was polling for work when it last reported'),
    polledAt: field(v.nullable(time), 'When the worker last polled for work'),
    startedAt: field(time, 'When the worker started'),
    seenAt: field(time, 'When the worker last reported'),
  }),
  'Worker process',
)

export const listWorkers = route({
  tag: 'admin',
  access: 'admin',
  name: 'listWorkers',
  method: 'get',
  path: '/admin/workers',
  summary: 'List workers',
  description:
    'Lists up to 1,000 workers, most recently seen first. Each worker reports every five seconds. A worker that has shut down is not listed, but one that has disappeared stays listed for a day.',
  status: 200,
  response: listOf(worker),
  handle: async ({ services }) => ({ items: await services.workers.list() }),
})
