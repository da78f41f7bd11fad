import * as v from 'valibot'
import { idempotencyKeyOf } from '../src/webhooks/delivery-identity.ts'
import { memberText } from '../src/json-member.ts'
import { route } from './route/route.ts'
import { runInput } from './schemas/run-input.ts'
import { listedRun, presentListedRun, presentRun, run } from './schemas/run-schema.ts'
import { pageOf, paging, runStatus, trigger } from './schemas/schemas.ts'
import { agentNamed as resource } from './route/resources.ts'

const shared = { tag: 'agents', access: 'account', status: 200 } as const

export const startRun = route({
  ...shared,
  name: 'startRun',
  audit: { not: 'The run itself records this.' },
  method: 'post',
  path: '/agents/{agentId}/runs',
  summary: 'Start a run',
  needs: 'use',
  description:
    'Works for any agent, regardless of its trigger, but fails with `AGENT_ALREADY_RUNNING` if the agent has an unfinished run. The model treats `input` as data, not instructions, and the timeline shows it unchanged. The body can be up to 1 MiB. See [Idempotency](/docs/how-to/idempotency).',
  headers: {
    'Idempotency-Key':
      'Key for this request. A repeated request with the same key returns the original run in its current state.',
  },
  body: v.strictObject({ input: v.optional(runInput) }),
  rawBody: { maxBytes: ({ config }) => config.bodies.webhookBytes, optional: true },
  status: 202,
  response: run,
  resource,
  codes: ['AGENT_NOT_FOUND', 'AGENT_ALREADY_RUNNING', 'NO_CREDITS', 'FEATURE_LIMIT_REACHED'],
  async handle({ services, resource, request, raw }) {
    const input = memberText(raw.toString(), 'input')
    const asked = { id: request.id, idempotencyKey: idempotencyKeyOf(request.header), input }
    return presentRun(services, await services.runs.accept.startManually(resource, asked))
  },
})

export const listAgentRuns = route({
  ...shared,
  name: 'listAgentRuns',
  method: 'get',
  path: '/agents/{agentId}/runs',
  summary: "List an agent's runs",
  description: 'Newest first. Ended runs are listed for 90 days.',
  query: v.strictObject({ ...paging, status: v.optional(runStatus), trigger: v.optional(trigger) }),
  response: pageOf(listedRun),
  resource,
  codes: ['AGENT_NOT_FOUND'],
  async handle({ services, ownerId, resource, query }) {
    const page = await services.runs.reading.list(ownerId, { ...query, agentId: resource.id })
    return { ...page, items: page.items.map(presentListedRun) }
  },
})
