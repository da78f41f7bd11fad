import * as v from 'valibot'
import { mostEnded } from '../src/runs/ending/cancel-several.ts'
import { ownerNamed, ownersIn, type ActFor } from '../src/owners/reach.ts'
import type { Services } from '../src/services.ts'
import type { Caller } from '../src/users/caller.ts'
import { actorOf } from './route/audited.ts'
import type { RequestFacts } from './route/request-facts.ts'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { exampleIds, idOf } from './schemas/example-ids.ts'
import { instant } from './schemas/instant.ts'
import { list } from './schemas/list.ts'
import { errorCode, runStatus, text, trigger } from './schemas/schemas.ts'

/** An id within the filter. The ids at the top of a body are canonical before they get here. */
const idInFilter = (kind: 'agent' | 'workspace', description: string) =>
  v.optional(field(v.pipe(text(64), v.uuid('must be a UUID'), v.toLowerCase()), description, exampleIds[kind]))

const filter = named(
  'RunFilter',
  v.strictObject({
    workspaceId: idInFilter('workspace', 'Workspace that owns the runs. Default: your own account.'),
    agentId: idInFilter('agent', 'Only runs of this agent'),
    status: v.optional(runStatus),
    trigger: v.optional(trigger),
    acceptedSince: instant('Only runs accepted at or after this time (RFC 3339)'),
    acceptedUntil: instant('Only runs accepted before this time (RFC 3339)'),
  }),
  'Selects runs of one owner. Without members, it selects all runs that can be changed.',
  { status: 'queued' },
)

const runIds = v.pipe(
  list(text(64), mostEnded, `must have at most ${mostEnded} ids`),
  v.minLength(1, 'must have at least one id'),
)

const body = v.pipe(
  v.strictObject({
    runIds: v.optional(
      field(runIds, `Ids of 1 to ${mostEnded} runs, which may have different owners`, [exampleIds.run]),
    ),
    filter: v.optional(filter),
  }),
  v.check(
    (given) => (given.runIds === undefined) !== (given.filter === undefined),
    'Send either `runIds` or `filter`.',
  ),
)

const refusedRun = named(
  'RefusedRun',
  v.object({
    runId: idOf('run', 'Id of the run, as in the request'),
    code: field(errorCode, 'Why the run was not changed', 'RUN_NOT_CANCELLABLE'),
  }),
  'Run that a request did not change',
)

const response = named(
  'ChangedRuns',
  v.object({
    changed: field(whole, 'Number of runs that ended, or that will end within ten seconds', 42),
    refused: field(v.array(refusedRun), 'Runs that were not changed'),
    more: field(
      v.boolean(),
      'Whether other runs match `filter`. If so, repeat the request. False for `runIds`.',
      false,
    ),
  }),
  'Result of changing several runs',
)

const shared = {
  tag: 'runs',
  access: 'account',
  needs: 'use',
  method: 'post',
  audit: { not: 'Recorded for each run, in the same transaction as the change.' },
  body,
  status: 200,
  response,
} as const

const bounds = `Send \`runIds\` or \`filter\`. One request changes at most ${mostEnded} runs, oldest first. Repeat a request with a \`filter\` while \`more\` is true. Requires the \`member\` role or higher for the owner of each run.`

export const cancelRuns = route({
  ...shared,
  name: 'cancelRuns',
  whenClosed: true,
  path: '/runs/cancel',
  summary: 'Cancel several runs',
  description: `Cancels each run as \`POST /runs/{runId}/cancel\` does. ${bounds} See [Cancel several runs](/docs/how-to/cancel-a-run#cancel-several-runs).`,
  codes: ['WORKSPACE_NOT_FOUND'],
  handle: (asked) => endSeveral('cancel', asked),
})

export const skipRuns = route({
  ...shared,
  name: 'skipRuns',
  path: '/runs/skip',
  summary: 'Skip several runs',
  description: `Skips each run as \`POST /runs/{runId}/skip\` does. A filter never selects runs that are in progress. ${bounds}`,
  codes: ['WORKSPACE_NOT_FOUND', 'WORKSPACE_REQUIRED'],
  handle: (asked) => endSeveral('skip', asked),
})

interface Asked {
  services: Services
  caller: Caller
  request: RequestFacts
  body: v.InferOutput<typeof body>
  actFor: ActFor
}

/** Counts as one change of the caller, however many runs it concerns. */
async function endSeveral(way: 'cancel' | 'skip', { services, caller, request, body: asked, actFor }: Asked) {
  const { rateLimits, runs } = services
  await rateLimits.change(caller.userId)
  const asker = { by: actorOf({ caller, request }), actFor }
  if (asked.runIds) return runs.ending.endNamed(way, ownersIn(caller.reach), asked.runIds, asker)
  const { workspaceId, ...chosen } = asked.filter ?? {}
  const ownerId = ownerNamed(caller.reach, workspaceId)
  return actFor(ownerId, () => runs.ending.endMatching(way, ownerId, chosen, asker))
}
