import * as v from 'valibot'
import type { Caller } from '../src/users/caller.ts'
import { shownUrl } from '../src/safe-fetch/shown-url.ts'
import { route } from './route/route.ts'
import { maySeeSecrets } from './schemas/agent-schema.ts'
import { callbackAttempt as attempt, callbackStatus as status } from './schemas/callback-schema.ts'
import { field, named, whole } from './schemas/documented.ts'
import { idOf } from './schemas/example-ids.ts'
import { pageOf, paging, time } from './schemas/schemas.ts'
import { agentNamed, runNamed } from './route/resources.ts'

const listed = {
  id: idOf('callback', '`webhook-id` of every attempt'),
  agentId: idOf('agent', 'Id of the agent'),
  runId: idOf('run', 'Run that ended'),
  url: field(
    v.string(),
    'URL that the callback is sent to. The query string is hidden from callers who cannot see secrets.',
    'https://hooks.example.com/runs',
  ),
  status,
  attempts: field(whole, 'Number of attempts so far', 1),
  nextAt: field(v.nullable(time), 'When a pending callback will next be attempted', null),
  giveUpAt: v.pipe(time, v.metadata({ description: 'When the platform will give up on a pending callback' })),
  createdAt: time,
  endedAt: field(v.nullable(time), 'When the callback was delivered or the platform gave up on it'),
}
const listedCallback = named('CallbackSummary', v.object(listed), 'Callback in a list')
const ofOne = v.object({
  ...listed,
  error: field(
    v.nullable(v.string()),
    'Human-readable reason for the failure. Null if the callback did not fail.',
    null,
  ),
  log: field(v.array(attempt), 'Last hundred attempts, newest first'),
})
const callback = named('Callback', ofOne, "Result of a run, posted to the agent's `callbackUrl`")

const shared = { tag: 'callbacks', access: 'account', status: 200 } as const

/** The query of the URL may contain a key. */
const presentFor =
  (caller: Pick<Caller, 'scopes' | 'reach'>, owned: { ownerId: string }) =>
  <Row extends { url: string }>(row: Row): Row =>
    maySeeSecrets(caller, owned) ? row : { ...row, url: shownUrl(row.url) }

export const listCallbacks = route({
  ...shared,
  name: 'listCallbacks',
  method: 'get',
  path: '/agents/{agentId}/callbacks',
  summary: "List an agent's callbacks",
  description:
    'Newest first. There is one callback for each run that ended while the agent had a `callbackUrl`. See [Callbacks](/docs/how-to/callbacks).',
  query: v.strictObject({ ...paging, status: v.optional(status) }),
  response: pageOf(listedCallback),
  resource: agentNamed,
  codes: ['AGENT_NOT_FOUND'],
  async handle({ services, caller, resource, query }) {
    const page = await services.callbacks.list(resource, query)
    return { ...page, items: page.items.map(presentFor(caller, resource)) }
  },
})

export const getCallback = route({
  ...shared,
  name: 'getCallback',
  method: 'get',
  path: '/runs/{runId}/callback',
  summary: "Get a run's callback",
  description:
    "Includes the callback's attempts. A run has a callback if its agent had a `callbackUrl` when the run ended.",
  response: callback,
  resource: runNamed,
  codes: ['RUN_NOT_FOUND', 'NOT_FOUND'],
  handle: async ({ services, caller, resource }) =>
    presentFor(caller, resource)(await services.callbacks.of(resource.id)),
})

export const retryCallback = route({
  ...shared,
  name: 'retryCallback',
  audit: { subject: 'callback' },
  needs: 'use',
  method: 'post',
  path: '/runs/{runId}/callback/retry',
  summary: "Retry a run's callback",
  description:
    "Works regardless of the outcome so far. The callback keeps its `webhook-id`, is sent to the agent's current `callbackUrl`, and is retried for the same period as a new one.",
  response: callback,
  resource: runNamed,
  codes: ['RUN_NOT_FOUND', 'NOT_FOUND'],
  handle: async ({ services, caller, resource }) =>
    presentFor(caller, resource)(await services.callbacks.retry(resource.id)),
})
