import * as v from 'valibot'
import { assertThat } from '../src/errors.ts'
import { route } from './route/route.ts'
import { id, text, time } from './schemas/schemas.ts'

const host = v.object({
  host: v.string(),
  held: v.nullable(v.object({ until: time, reason: v.nullable(v.string()) })),
  suspended: v.nullable(v.object({ at: time, by: v.nullable(id), reason: v.nullable(v.string()) })),
})

const shared = { tag: 'admin', access: 'admin', path: '/admin/hosts/{host}' } as const
const spelling =
  'Write the host as in its URLs, in lower case and without a port; with `OUTGOING_COUNT_PORTS`, `hostname:port` if the port is not 443.'

export const listHosts = route({
  ...shared,
  name: 'listHosts',
  method: 'get',
  path: '/admin/hosts',
  summary: 'List the hosts where no tools are called at present',
  description: 'These are the suspended hosts and those that asked for no calls. Sorted by name, 1000 at most.',
  status: 200,
  response: v.object({ items: v.array(host) }),
  handle: async ({ services }) => ({ items: await services.hosts.list() }),
})

export const suspendHost = route({
  ...shared,
  name: 'suspendHost',
  method: 'put',
  summary: 'Suspend a host',
  description: `No tool of this host is called until the suspension is lifted. ${spelling}`,
  body: v.strictObject({ reason: text(500) }),
  status: 200,
  response: host,
  handle: ({ services, caller, params, body }) => services.hosts.suspend(params.host, caller.userId, body.reason),
})

export const liftHost = route({
  ...shared,
  name: 'liftHost',
  method: 'delete',
  summary: 'Lift the suspension of a host',
  description: spelling,
  status: 204,
  codes: ['NOT_FOUND'],
  async handle({ services, caller, params }) {
    const lifted = await services.hosts.lift(params.host, caller.userId)
    assertThat(lifted, 'NOT_FOUND', { message: 'This host is not suspended.' })
  },
})

const worker = v.object({
  id,
  taskQueue: v.string(),
  version: v.string(),
  present: v.pipe(
    v.boolean(),
    v.metadata({ description: 'Whether it has reported recently and was polling for work then' }),
  ),
  polling: v.pipe(v.boolean(), v.metadata({ description: 'Whether it was polling for work when it last reported' })),
  polledAt: v.pipe(v.nullable(time), v.metadata({ description: 'When it last polled for work' })),
  startedAt: time,
  seenAt: time,
})

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
  response: v.object({ items: v.array(worker) }),
  handle: async ({ services }) => ({ items: await services.workers.list() }),
})
