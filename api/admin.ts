import * as v from 'valibot'
import { assertThat } from '../src/errors.ts'
import { maxPerMinute } from '../src/tools/host-proposals.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { id, listOf, text, time } from './schemas/schemas.ts'

const why = 'Why, for people'
const hold = named(
  'HostHold',
  v.object({ until: field(time, 'Until when'), reason: field(v.nullable(v.string()), why, 'The site answered 429.') }),
  'A time in which no tool of the host is called, because it asked for that',
)
const suspension = named(
  'HostSuspension',
  v.object({
    at: field(time, 'Since when'),
    by: field(v.nullable(id), 'The admin who suspended it'),
    reason: field(v.nullable(v.string()), why, 'Its owner asked us to stop.'),
  }),
  'No tool of the host is called until an admin lifts this',
)
const host = named(
  'Host',
  v.object({
    host: field(v.string(), 'The host, with its port unless that is 443', 'tracker.example.com'),
    held: field(v.nullable(hold), 'Whether the host asked for no calls', null),
    suspended: field(v.nullable(suspension), 'Whether it is suspended'),
    callsPerMinute: field(
      v.nullable(v.number()),
      'How many calls a minute an admin allows; null for the usual limit',
      null,
    ),
    proposedPerMinute: field(
      v.nullable(v.number()),
      'How many calls a minute its manifest asks for; nothing follows from that unless an admin allows them',
      60,
    ),
  }),
  'A host of tools, if it is held or suspended, or has or asks for a limit of its own',
)

const shared = { tag: 'admin', access: 'admin', path: '/admin/hosts/{host}' } as const
const spelling =
  'Write the host as in its URLs, in lower case and without a port; with `OUTGOING_COUNT_PORTS`, `hostname:port` if the port is not 443.'

export const listHosts = route({
  ...shared,
  name: 'listHosts',
  method: 'get',
  path: '/admin/hosts',
  summary: 'List the hosts that are held or suspended, or have a limit of their own',
  description:
    'These are the suspended hosts, those that asked for no calls, and those whose limit an admin has set, sorted by name. ' +
    'After them come hosts whose manifests ask for another limit. 1000 at most.',
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
  description: `No tool of this host is called until the suspension is lifted. ${spelling}`,
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
  summary: 'Lift the suspension of a host',
  description: spelling,
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
  summary: 'End the pause that a host has asked for',
  description: `Its tools are called again, within its limit for a minute. ${spelling}`,
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
  summary: 'Set how many calls a minute a host gets',
  description: `In place of \`OUTGOING_PER_MINUTE\`, for all owners together, from the next call on. ${spelling}`,
  body: v.strictObject({
    callsPerMinute: field(
      v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxPerMinute)),
      'Calls in any 60 seconds',
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
  summary: 'Give a host the usual limit again',
  description: `The one of \`OUTGOING_PER_MINUTE\`. ${spelling}`,
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
    taskQueue: field(v.string(), 'The task queue that it polls', 'switchyard'),
    version: field(v.string(), 'The version of its code', '0.1.0'),
    present: field(v.boolean(), 'Whether it has reported recently and was polling for work then'),
    polling: field(v.boolean(), 'Whether it was polling for work when it last reported'),
    polledAt: field(v.nullable(time), 'When it last polled for work'),
    startedAt: field(time, 'When it was started'),
    seenAt: field(time, 'When it last reported'),
  }),
  'A worker process',
)

export const listWorkers = route({
  tag: 'admin',
  access: 'admin',
  name: 'listWorkers',
  method: 'get',
  path: '/admin/workers',
  summary: 'List the worker processes',
  description:
    'Each worker reports every five seconds. A worker that shut down is no longer listed; one that disappeared is ' +
    'listed for a day. The latest to report come first, 1000 at most.',
  status: 200,
  response: listOf(worker),
  handle: async ({ services }) => ({ items: await services.workers.list() }),
})
