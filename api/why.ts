import * as v from 'valibot'
import { causeCodes, causeOrder, whyStates } from '../src/why/cause.ts'
import { route } from './route/route.ts'
import { id, time } from './schemas/schemas.ts'

const meanings = causeOrder.map((code) => `- \`${code}\`: ${causeCodes[code]}.`).join('\n')

const why = v.object({
  state: v.picklist(whyStates),
  summary: v.pipe(v.string(), v.metadata({ description: 'The state and the most important cause, in one sentence' })),
  causes: v.pipe(
    v.array(
      v.object({
        code: v.picklist(causeOrder),
        since: v.nullable(time),
        until: v.pipe(
          v.nullable(time),
          v.metadata({
            description: 'When it ends or is checked again; if it waits for you, when it fails. ISO 8601, UTC',
          }),
        ),
        message: v.pipe(v.string(), v.metadata({ description: 'What the cause is' })),
        action: v.pipe(v.string(), v.metadata({ description: 'What you can do, and what that loses or costs' })),
        runId: v.pipe(v.nullable(id), v.metadata({ description: 'The run that it is about' })),
        sequence: v.pipe(v.nullable(v.number()), v.metadata({ description: 'The number of that run' })),
        step: v.nullable(v.number()),
        site: v.pipe(v.nullable(v.string()), v.metadata({ description: 'The origin of the site that it is about' })),
      }),
    ),
    v.metadata({ description: 'Most important first; several may hold at once' }),
  ),
})

const shared = {
  access: 'account',
  method: 'get',
  status: 200,
  description: `From one snapshot of the record, and from the workers that are present. The codes:\n\n${meanings}`,
  response: why,
} as const

export const whyAgent = route({
  ...shared,
  tag: 'agents',
  name: 'whyAgent',
  path: '/agents/{agentId}/why',
  summary: 'Explain why an agent is not running, or what it is doing',
  resource: ({ services, caller, params }) => services.agents.get(caller.userId, params.agentId),
  codes: ['AGENT_NOT_FOUND'],
  handle: ({ services, resource }) => services.why.ofAgent(resource),
})

export const whyRun = route({
  ...shared,
  tag: 'runs',
  name: 'whyRun',
  path: '/runs/{runId}/why',
  summary: 'Explain why a run is not running, or what it is doing',
  resource: ({ services, caller, params }) => services.runs.reading.get(caller.userId, params.runId),
  codes: ['RUN_NOT_FOUND'],
  handle: ({ services, resource }) => services.why.ofRun(resource),
})
