import * as v from 'valibot'
import { callbackStatuses } from '../src/callbacks/callback.ts'
import type { Services } from '../src/services.ts'
import { route } from './route/route.ts'
import { id, pageOf, paging, time } from './schemas/schemas.ts'

const status = v.picklist(callbackStatuses, `must be one of ${callbackStatuses.join(', ')}`)
const listed = {
  id: v.pipe(v.string(), v.metadata({ description: 'The `webhook-id` of each attempt' })),
  agentId: id,
  runId: id,
  url: v.string(),
  status,
  attempts: v.pipe(v.number(), v.metadata({ description: 'How many attempts were begun' })),
  nextAt: v.pipe(v.nullable(time), v.metadata({ description: 'When a pending callback is tried next' })),
  giveUpAt: v.pipe(time, v.metadata({ description: 'Until when a pending callback is tried' })),
  createdAt: time,
  endedAt: v.nullable(time),
}
const attempt = v.object({
  attempt: v.pipe(v.number(), v.metadata({ description: 'Its number; an attempt whose process died is not listed' })),
  at: time,
  httpStatus: v.nullable(v.number()),
  outcome: v.pipe(v.string(), v.metadata({ description: 'The outcome, as text for people' })),
  latencyMs: v.number(),
})
const callback = v.object({
  ...listed,
  error: v.pipe(
    v.nullable(v.string()),
    v.metadata({ description: 'Why it failed, as text for people; null unless it failed' }),
  ),
  log: v.pipe(v.array(attempt), v.metadata({ description: 'The latest hundred attempts, newest first' })),
})

const shared = { tag: 'callbacks', access: 'account', status: 200 } as const

type OfAgent = { services: Services; caller: { userId: string }; params: { agentId: string } }
const agentOf = ({ services, caller, params }: OfAgent) => services.agents.get(caller.userId, params.agentId)
type OfRun = { services: Services; caller: { userId: string }; params: { runId: string } }
const runOf = ({ services, caller, params }: OfRun) => services.runs.reading.get(caller.userId, params.runId)

export const listCallbacks = route({
  ...shared,
  name: 'listCallbacks',
  method: 'get',
  path: '/agents/{agentId}/callbacks',
  summary: 'List the callbacks of an agent, newest first',
  query: v.strictObject({ ...paging, status: v.optional(status) }),
  response: pageOf(v.object(listed)),
  resource: agentOf,
  codes: ['AGENT_NOT_FOUND'],
  handle: ({ services, resource, query }) => services.callbacks.list(resource.id, query),
})

export const getCallback = route({
  ...shared,
  name: 'getCallback',
  method: 'get',
  path: '/runs/{runId}/callback',
  summary: 'Get the callback of a run, with its attempts',
  description: 'A run has a callback if it has ended and its agent had a `callbackUrl` at that time.',
  response: callback,
  resource: runOf,
  codes: ['RUN_NOT_FOUND', 'NOT_FOUND'],
  handle: ({ services, resource }) => services.callbacks.of(resource.id),
})

export const retryCallback = route({
  ...shared,
  name: 'retryCallback',
  method: 'post',
  path: '/runs/{runId}/callback/retry',
  summary: 'Post the ending of a run again',
  description:
    "Whatever the outcome so far. It keeps its `webhook-id`, goes to the agent's current `callbackUrl`, and is tried " +
    'for as long as a new callback.',
  response: callback,
  resource: runOf,
  codes: ['RUN_NOT_FOUND', 'NOT_FOUND'],
  handle: ({ services, resource }) => services.callbacks.retry(resource.id),
})
