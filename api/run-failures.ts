import * as v from 'valibot'
import { later } from '../src/clock.ts'
import { mostFailures, mostGroups } from '../src/runs/reading/run-failures.ts'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { idOf } from './schemas/example-ids.ts'
import { instant } from './schemas/instant.ts'
import { endReason } from './schemas/run-schema.ts'
import { idFilter, ofOwner, time } from './schemas/schemas.ts'

const defaultDays = 7

const failure = named(
  'RunFailure',
  v.object({
    agentId: idOf('agent', 'Agent whose runs failed'),
    agentName: field(
      v.nullable(v.string()),
      'Name of the agent. Null if the agent has moved to another owner.',
      'Triage',
    ),
    reason: field(endReason, 'Why the runs failed', 'MODEL_ERROR'),
    message: field(v.string(), '`reason` as a sentence, from the last run', 'The AI provider returned an error.'),
    count: field(whole, 'Number of failed runs', 12),
    firstEndedAt: field(time, 'When the first of these runs failed', '2026-11-21T09:00:07.903Z'),
    lastEndedAt: field(time, 'When the last of these runs failed', '2026-11-21T11:30:12.021Z'),
    lastRunId: idOf('run', 'Last of these runs'),
  }),
  'Failed runs of one agent with the same reason',
)

export const listRunFailures = route({
  tag: 'runs',
  access: 'account',
  name: 'listRunFailures',
  method: 'get',
  path: '/runs/failures',
  summary: 'List failures by cause',
  description: `Groups \`failed\` runs by agent and \`reason\`, with the most recent failure first. Cancelled and skipped runs are not failures. One request reads the latest ${mostFailures.toLocaleString('en-US')} failed runs and returns at most ${mostGroups} groups.`,
  owner: 'query',
  query: v.strictObject({
    ...ofOwner,
    agentId: idFilter("Return only this agent's failures"),
    since: instant(`Return only runs that failed at or after this time (RFC 3339). Default: ${defaultDays} days ago.`),
    until: instant('Return only runs that failed before this time (RFC 3339)'),
  }),
  status: 200,
  response: named(
    'RunFailures',
    v.object({
      items: field(v.array(failure), 'Groups of failed runs'),
      isComplete: field(
        v.boolean(),
        'Whether the groups include all failed runs of the period. If false, choose one agent or a shorter period.',
      ),
    }),
    'Failed runs, grouped by agent and reason',
  ),
  handle: ({ services, ownerId, query: { since = later(services.clock.now(), -defaultDays * 86_400), ...query } }) =>
    services.runs.reading.failures(ownerId, { ...query, since }),
})
