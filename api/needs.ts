import * as v from 'valibot'
import { blockCauses, needKinds, type NeedKind } from '../src/needs/need.ts'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { exampleIds } from './schemas/example-ids.ts'
import { id, ofOwner, time } from './schemas/schemas.ts'

const kinds = Object.keys(needKinds) as [NeedKind, ...NeedKind[]]
const meanings = kinds.map((kind) => `- \`${kind}\`: ${needKinds[kind]}.`).join('\n')
const nullable = (meaning: string, example: string | null = null) =>
  field(v.nullable(v.string()), `${meaning}. Null if it does not apply.`, example)

const need = named(
  'Need',
  v.object({
    kind: named('NeedKind', v.picklist(kinds), `What needs a person:\n\n${meanings}`, 'approval'),
    cause: field(
      v.nullable(named('BlockCause', v.picklist(blockCauses), 'What blocks the runs of an agent', 'paused')),
      'What blocks the runs if `kind` is `blocked`. Otherwise null.',
      null,
    ),
    since: field(v.nullable(time), 'When it began. Null if unknown or not yet.'),
    until: field(
      v.nullable(time),
      'When it gets worse: an approval expires, a credential expires, or a run fails. Null if unknown or never.',
    ),
    message: field(
      v.string(),
      'Human-readable description',
      'Run 12 of “Triage” wants to call “issues[.]createIssue” at https://tracker.example.com. At 2026-11-22T12:00:00Z, it will continue without the call.',
    ),
    action: field(
      v.string(),
      'What you can do, and any cost or loss that this would cause',
      `To review the arguments, use GET /approvals/${exampleIds.approval}.`,
    ),
    agentId: field(v.nullable(id), 'Agent. Null if several agents or none are concerned.', exampleIds.agent),
    agentName: nullable('Name of that agent', 'Triage'),
    runId: field(v.nullable(id), 'Run. Null if it does not apply.', exampleIds.run),
    approvalId: field(v.nullable(id), 'Approval. Null if it does not apply.', exampleIds.approval),
    vaultEntryId: field(v.nullable(id), 'Connected site. Null if it does not apply.', null),
    site: nullable('Origin of the site', 'https://tracker.example.com'),
    model: nullable('Name of the model'),
    count: field(
      whole,
      'Number of waiting runs (`blocked`, `credential`, `model`), failed runs (`failing`), missed hours (`silent`) or approvals (`approval`)',
      1,
    ),
  }),
  'Something that needs a person',
)

const count = (meaning: string, example = 0) => field(whole, meaning, example)
const needs = named(
  'Needs',
  v.object({
    items: field(
      v.array(need),
      'At most 100 items: first those with `until`, soonest first, then the others, longest waiting first',
    ),
    approvals: named(
      'NeededApprovals',
      v.object({
        pending: count('Number of pending approvals, at most 1,000', 1),
        oldestRequestedAt: field(v.nullable(time), 'When the oldest was requested. Null if there is none.'),
      }),
      'Pending approvals. The items include the oldest 20.',
    ),
    credits: named(
      'NeedsCredits',
      v.object({
        today: count('Credits used today (UTC)', 12),
        usualPerDay: field(
          v.nullable(whole),
          'Median of the last 14 whole days (UTC). Null if fewer than 3 of them used credits.',
          10,
        ),
        thisMonth: count('Credits used in this calendar month (UTC)', 230),
        monthlyCap: field(v.nullable(whole), 'Credits allowed per month. Null if there is no limit.', 500),
      }),
      'Credits used. Your account includes the workspaces that it pays for.',
    ),
    runs: named(
      'NeedsRuns',
      v.object({
        running: count('Number of runs in progress', 1),
        waiting: count('Number of runs that have started and are waiting'),
        queued: count('Number of runs that have not started yet', 3),
        completedToday: count(
          'Runs completed today (UTC), if accepted today or yesterday. At most 10,000 of each trigger are counted.',
          42,
        ),
        failedToday: count(
          'Runs failed today (UTC), if accepted today or yesterday. At most 10,000 of each trigger are counted.',
        ),
      }),
      'Number of runs',
    ),
  }),
  'What needs a person in an account or a workspace, and how much is going on',
)

export const getNeeds = route({
  name: 'getNeeds',
  tag: 'needs',
  access: 'account',
  method: 'get',
  path: '/needs',
  summary: 'List what needs a person',
  description:
    'Blocked and failing agents, missing deliveries, pending approvals, expiring credentials and unavailable models, most urgent first. Covers the newest 1,000 agents. The response reflects a single snapshot of the database. See [See what needs you](/docs/how-to/what-needs-me).',
  owner: 'query',
  query: v.strictObject(ofOwner),
  status: 200,
  response: needs,
  handle: ({ services, caller, ownerId }) =>
    services.needs.of(ownerId, ownerId === caller.userId ? 'accounts' : 'workspaces'),
})
