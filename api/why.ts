import * as v from 'valibot'
import { causeCodes, causeOrder, whyStates } from '../src/why/cause.ts'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { id, time } from './schemas/schemas.ts'
import { agentNamed, runNamed } from './route/resources.ts'

const meanings = causeOrder.map((code) => `- \`${code}\`: ${causeCodes[code]}.`).join('\n')

const cause = named(
  'Cause',
  v.object({
    code: named('CauseCode', v.picklist(causeOrder), `What it is:\n\n${meanings}`, 'RATE_LIMIT'),
    since: field(v.nullable(time), 'Since when; null if that is unknown'),
    until: field(v.nullable(time), 'When it ends or is checked again; if it waits for you, when it fails'),
    message: field(
      v.string(),
      'What the cause is',
      'Run 12 waits until 2026-11-21T12:00:40Z. https://tracker.example.com has reached its rate limit of 10 calls a minute from this platform.',
    ),
    action: field(
      v.string(),
      'What you can do, and what that loses or costs',
      'You do not need to do anything. The run continues automatically.',
    ),
    runId: field(v.nullable(id), 'The run that it is about'),
    sequence: field(v.nullable(whole), 'The number of that run', 12),
    step: field(v.nullable(whole), 'The step of that run', null),
    site: field(v.nullable(v.string()), 'The origin of the site that it is about', 'https://tracker.example.com'),
  }),
  'One reason why something does not run, or what it does',
)
const why = named(
  'Why',
  v.object({
    state: named('WhyState', v.picklist(whyStates), 'Where the agent or the run is', 'waiting'),
    summary: field(
      v.string(),
      'The state and the most important cause, in one sentence',
      'Run 12 of “Triage” is waiting. It waits until 2026-11-21T12:00:40Z. https://tracker.example.com has reached its rate limit of 10 calls a minute from this platform.',
    ),
    causes: field(v.array(cause), 'Most important first; several may hold at once'),
  }),
  'Why an agent or a run is where it is',
)

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
  resource: agentNamed,
  codes: ['AGENT_NOT_FOUND'],
  handle: ({ services, resource }) => services.why.ofAgent(resource),
})

export const whyRun = route({
  ...shared,
  tag: 'runs',
  name: 'whyRun',
  path: '/runs/{runId}/why',
  summary: 'Explain why a run is not running, or what it is doing',
  resource: runNamed,
  codes: ['RUN_NOT_FOUND'],
  handle: ({ services, resource }) => services.why.ofRun(resource),
})
