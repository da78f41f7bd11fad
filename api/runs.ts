import * as v from 'valibot'
import { memberText } from '../src/json-member.ts'
import { idempotencyKeyOf } from '../src/webhooks/delivery-identity.ts'
import { route } from './route/route.ts'
import { field } from './schemas/documented.ts'
import { payload } from './schemas/event-schema.ts'
import { runInput } from './schemas/run-input.ts'
import { listedRun, presentListedRun, presentRun, run } from './schemas/run-schema.ts'
import { idFilter, pageOf, pagingOfOwner, runStatus, trigger } from './schemas/schemas.ts'
import { runNamed as resource } from './route/resources.ts'

const shared = { tag: 'runs', access: 'account', status: 200 } as const

export const listRuns = route({
  ...shared,
  name: 'listRuns',
  method: 'get',
  path: '/runs',
  summary: 'List runs',
  description: 'Lists the runs of all agents, including deleted ones, newest first. Ended runs are listed for 90 days.',
  owner: 'query',
  query: v.strictObject({
    ...pagingOfOwner,
    agentId: idFilter("Return only this agent's runs"),
    status: v.optional(runStatus),
    trigger: v.optional(trigger),
  }),
  response: pageOf(listedRun),
  async handle({ services, ownerId, query }) {
    const page = await services.runs.reading.list(ownerId, query)
    return { ...page, items: page.items.map(presentListedRun) }
  },
})

export const getRun = route({
  ...shared,
  name: 'getRun',
  method: 'get',
  path: '/runs/{runId}',
  summary: 'Get a run',
  description:
    "Shows the run's status, answer, usage and cost. For what the run did, see `GET /runs/{runId}/events`. Lists of runs omit the answer and the output.",
  response: run,
  resource,
  codes: ['RUN_NOT_FOUND'],
  handle: ({ services, resource }) => presentRun(services, resource),
})

export const skipRun = route({
  ...shared,
  name: 'skipRun',
  audit: { subject: 'run' },
  needs: 'use',
  method: 'post',
  path: '/runs/{runId}/skip',
  summary: 'Skip a run',
  description:
    "Ends a queued or waiting run as `skipped`, so that the agent's next run starts. You can replay the skipped run later.",
  response: run,
  resource,
  codes: ['RUN_NOT_FOUND', 'RUN_NOT_CANCELLABLE'],
  handle: async ({ services, resource }) => presentRun(services, await services.runs.ending.skip(resource)),
})

export const replayRun = route({
  ...shared,
  name: 'replayRun',
  audit: { subject: 'run' },
  needs: 'use',
  method: 'post',
  path: '/runs/{runId}/replay',
  summary: 'Replay a run',
  description:
    "Starts a new run with the agent's current configuration and the payload or input of a finished run. To edit it first, send the new payload of a delivery as `payload`, or the new input of a manual run as `input`. The timeline shows it unchanged, and its `accepted` event has `edited`. The replay of a delivery joins the end of the queue. For any other run, the agent must be idle (`AGENT_ALREADY_RUNNING`). The body is optional and can be up to 1 MiB. See [Replay](/docs/how-to/replay).",
  headers: {
    'Idempotency-Key':
      'Key for this request. A repeated request with the same key and body does not start another run.',
  },
  body: v.strictObject({
    payload: v.optional(field(payload, 'Edited payload, for the run of a delivery. Must match `webhookSchema`.')),
    input: v.optional(field(runInput, 'Edited input, for a run that was started manually')),
  }),
  rawBody: { maxBytes: ({ config }) => config.bodies.webhookBytes, optional: true },
  status: 202,
  response: run,
  resource,
  codes: [
    'RUN_NOT_FOUND',
    'AGENT_NOT_FOUND',
    'AGENT_ALREADY_RUNNING',
    'TIER_REQUIRED',
    'SUBSCRIPTION_PAST_DUE',
    'WEBHOOK_PAYLOAD_INVALID',
    'NO_CREDITS',
    'FEATURE_LIMIT_REACHED',
  ],
  async handle({ services, resource, request, raw }) {
    const text = raw.toString()
    const edited = { payload: memberText(text, 'payload'), input: memberText(text, 'input') }
    const asked = { id: request.id, idempotencyKey: idempotencyKeyOf(request.header), ...edited }
    return presentRun(services, await services.runs.accept.replay(resource, asked))
  },
})

export const cancelRun = route({
  ...shared,
  name: 'cancelRun',
  audit: { subject: 'run' },
  needs: 'use',
  whenClosed: true,
  method: 'post',
  path: '/runs/{runId}/cancel',
  summary: 'Cancel a run',
  description:
    'A queued run ends immediately, and a run in progress ends within ten seconds. See [Cancel a run](/docs/how-to/cancel-a-run).',
  response: run,
  resource,
  codes: ['RUN_NOT_FOUND', 'RUN_NOT_CANCELLABLE'],
  handle: async ({ services, resource }) => presentRun(services, await services.runs.ending.cancel(resource)),
})
