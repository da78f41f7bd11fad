import * as v from 'valibot'
import type { Services } from '../src/services.ts'
import { route } from './route.ts'
import { presentRun, run } from './run-schema.ts'
import { pageOf, paging, runStatus, text, time, trigger } from './schemas.ts'

type Named = { services: Services; caller: { userId: string }; params: { runId: string } }
const resource = ({ services, caller, params }: Named) => services.runs.get(caller.userId, params.runId)

const shared = { tag: 'runs', access: 'account', status: 200 } as const

const after = v.pipe(
  v.optional(v.pipe(v.string('give it once'), v.regex(/^\d{1,9}$/, 'must be the number of an event')), '0'),
  v.transform(Number),
)
const limit = v.pipe(
  v.optional(v.pipe(v.string('give it once'), v.regex(/^\d{1,4}$/, 'must be a number from 1 to 1000')), '200'),
  v.transform(Number),
  v.minValue(1, 'must be at least 1'),
  v.maxValue(1000, 'must be at most 1000'),
)

export const listRuns = route({
  ...shared,
  name: 'listRuns',
  method: 'get',
  path: '/runs',
  summary: 'List runs, newest first',
  query: v.strictObject({
    ...paging,
    agentId: v.optional(text(64)),
    status: v.optional(runStatus),
    trigger: v.optional(trigger),
  }),
  response: pageOf(run),
  async handle({ services, caller, query }) {
    const page = await services.runs.list(caller.userId, query)
    return { ...page, items: page.items.map(presentRun) }
  },
})

export const getRun = route({
  ...shared,
  name: 'getRun',
  method: 'get',
  path: '/runs/{runId}',
  summary: 'One run',
  response: run,
  resource,
  codes: ['RUN_NOT_FOUND'],
  handle: async ({ resource }) => presentRun(resource),
})

export const listEvents = route({
  ...shared,
  name: 'listEvents',
  method: 'get',
  path: '/runs/{runId}/events',
  summary: "A run's timeline",
  description: 'Events are numbered from 1 without gaps. Ask again with `after` set to the last number you have.',
  query: v.strictObject({ after, limit }),
  response: v.object({
    items: v.array(
      v.object({ number: v.number(), kind: v.string(), at: time, data: v.record(v.string(), v.unknown()) }),
    ),
  }),
  resource,
  codes: ['RUN_NOT_FOUND'],
  handle: async ({ services, resource, query }) => ({
    items: await services.runs.timeline(resource, query.after, query.limit),
  }),
})

export const cancelRun = route({
  ...shared,
  name: 'cancelRun',
  method: 'post',
  path: '/runs/{runId}/cancel',
  summary: 'Cancel a run',
  description: 'A queued run ends at once; a running one within ten seconds.',
  response: run,
  resource,
  codes: ['RUN_NOT_FOUND', 'RUN_NOT_CANCELLABLE'],
  handle: async ({ services, resource }) => presentRun(await services.runs.cancel(resource)),
})
