import * as v from 'valibot'
import { causeCodes, causeOrder, whyStates } from '../src/why/cause.ts'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { exampleIds } from './schemas/example-ids.ts'
import { id, time } from './schemas/schemas.ts'
import { agentNamed, runNamed } from './route/resources.ts'

const meanings = causeOrder.map((code) => `- \`${code}\`: ${causeCodes[code]}.`).join('\n')

const cause = named(
  'Cause',
  v.object({
    code: named('CauseCode', v.picklist(causeOrder), `Kind of cause:\n\n${meanings}`, 'RATE_LIMIT'),
    since: field(v.nullable(time), 'When the cause began. Null if unknown.'),
    until: field(
      v.nullable(time),
      'When the cause will end or be checked again. If the run is waiting for you, this is when the run will fail.',
    ),
    message: field(
      v.string(),
      'Human-readable description of the cause',
      'Run 12 will wait until 2026-11-21T12:00:40Z. https://tracker.example.com has reached its rate limit of 10 calls a minute from this platform.',
    ),
    action: field(
      v.string(),
      'What you can do, and any cost or loss that this would cause',
      'You do not need to do anything. The run continues automatically.',
    ),
    runId: field(v.nullable(id), 'Run that this cause refers to', exampleIds.run),
    sequence: field(v.nullable(whole), 'Sequence number of that run', 12),
    step: field(v.nullable(whole), 'Step of that run', null),
    site: field(v.nullable(v.string()), 'Origin of the site that this cause refers to', 'https://tracker.example.com'),
  }),
  'Why an agent or run is not running, or what it is doing',
)
const why = named(
  'Why',
  v.object({
    state: named('WhyState', v.picklist(whyStates), 'State of the agent or run', 'waiting'),
    summary: field(
      v.string(),
      'State and main cause, in one sentence',
      'Run 12 of “Triage” is waiting. It will wait until 2026-11-21T12:00:40Z. https://tracker.example.com has reached its rate limit of 10 calls a minute from this platform.',
    ),
    causes: field(v.array(cause), 'Causes, most important first'),
  }),
  'Why an agent or a run is in its current state',
)

const shared = {
  access: 'account',
  method: 'get',
  status: 200,
  description:
    'Returns the causes, most important first, or the current work if the agent or run is running. The response reflects a single snapshot of the database and the active workers. See [Find out why a run is waiting](/docs/how-to/why-is-it-waiting).',
  response: why,
} as const

export const whyAgent = route({
  ...shared,
  tag: 'agents',
  name: 'whyAgent',
  path: '/agents/{agentId}/why',
  summary: 'Explain why an agent is not running',
  resource: agentNamed,
  codes: ['AGENT_NOT_FOUND'],
  handle: ({ services, resource }) => services.why.ofAgent(resource),
})

export const whyRun = route({
  ...shared,
  tag: 'runs',
  name: 'whyRun',
  path: '/runs/{runId}/why',
  summary: 'Explain why a run is not running',
  resource: runNamed,
  codes: ['RUN_NOT_FOUND'],
  handle: ({ services, resource }) => services.why.ofRun(resource),
})
