import * as v from 'valibot'
import type { Run, RunFields } from '../../src/runs/run.ts'
import type { Services } from '../../src/services.ts'
import { endReasons, hasEnded, runStatuses, type EndReason } from '../../src/runs/states.ts'
import { anyJson, documentedBy, field, named, whole } from './documented.ts'
import { idOf } from './example-ids.ts'
import { ownerId, runStatus, time, trigger } from './schemas.ts'

export const waitCause = named(
  'WaitCause',
  v.picklist(['rate_limit', 'credential', 'approval', 'job', 'paused', 'credits', 'model']),
  'What a `waiting` run is waiting for. `rate_limit`: its turn at the site. `model`: the AI model to become available. `credential`: the site ' +
    'to be reconnected. `approval`: a decision on a tool call. `job`: the site to finish a tool call that it works on. `paused`: the agent to be resumed. `credits`: more credits.',
)

export const endings = runStatuses.filter((status) => hasEnded(status))
export const endedStatus = named('EndedStatus', v.picklist(endings), 'Final status of a run')

const reasons = Object.keys(endReasons) as [EndReason, ...EndReason[]]
const meanings = reasons.map((name) => `- \`${name}\`: ${endReasons[name]}`).join('\n')
/** The end reason in a request. */
export const knownEndReason = named(
  'EndReason',
  v.picklist(reasons, 'must be a run `reason`, such as MODEL_ERROR'),
  `Why a run did not complete:\n\n${meanings}`,
)
/** During a deploy the record may have reasons that this process does not know. */
export const endReason = documentedBy(v.string(), knownEndReason)

const listed = {
  id: idOf('run'),
  ownerId,
  agentId: idOf('agent', 'Agent that the run belongs to'),
  agentVersion: field(
    v.nullable(whole),
    "Number of the agent's version when the run started. Null if the run has not started.",
    7,
  ),
  sequence: field(whole, "Position among the agent's runs in order of arrival, from 1", 12),
  trigger,
  triggeredBy: field(v.string(), 'Human-readable description of what started the run', 'Triggered by: Webhook'),
  status: runStatus,
  waitingCause: field(v.nullable(waitCause), 'What the run is waiting for. Null unless the run is `waiting`.', null),
  waitingFor: field(
    v.nullable(v.string()),
    'Site or AI model that the run is waiting for. Null if there is none.',
    null,
  ),
  waitingUntil: field(
    v.nullable(time),
    'When the run will check again or its approval request will expire. For `credits` and `credential`, this is when the run will fail. Null unless the run is `waiting`.',
    null,
  ),
  reason: field(v.nullable(endReason), 'Why the run did not complete. Null if it completed or has not ended.', null),
  error: field(v.nullable(v.string()), '`reason` as a sentence, or null if there is no reason', null),
  steps: field(whole, 'Number of model answers', 3),
  toolCalls: field(whole, 'Number of tool calls', 2),
  inputTokens: field(whole, 'Tokens read by the model', 1830),
  outputTokens: field(whole, 'Tokens written by the model', 212),
  cachedTokens: field(whole, "Part of `inputTokens` that came from the provider's cache", 1024),
  credits: field(whole, 'Credits charged so far', 3),
  costUsd: field(
    v.nullable(v.number()),
    "Cost of the run's model calls so far, in USD. Null if the price of a call is unknown.",
    0.0041,
  ),
  events: field(whole, 'Number of timeline events', 13),
  replayOf: field(v.nullable(v.string()), 'Replayed run, which may have been deleted. Null if there is none.', null),
  requestId: idOf('request', '`X-Request-Id` of the request that started the run'),
  acceptedAt: field(time, 'When the run was accepted', '2026-11-21T09:00:00.000Z'),
  startedAt: field(
    v.nullable(time),
    'When the run left the queue. Null if the run has not started.',
    '2026-11-21T09:00:00.412Z',
  ),
  cancelRequestedAt: field(
    v.nullable(time),
    'When cancellation was requested. Null if it has not been requested.',
    null,
  ),
  endedAt: field(v.nullable(time), 'When the run ended. Null if it has not.', '2026-11-21T09:00:07.903Z'),
}

export const listedRun = named('RunSummary', v.object(listed), 'Run in a list')

export const run = named(
  'Run',
  v.object({
    ...listed,
    answer: field(
      v.nullable(v.string()),
      "The model's final answer. Null unless the run is `completed`.",
      '{"issue":4711}',
    ),
    output: field(
      anyJson,
      'Answer as JSON that matches `outputSchema`, with numbers as the model wrote them. Null if there is no schema, or if ' +
        'the run is not `completed`.',
      { issue: 4711 },
    ),
  }),
  'Execution of an agent',
)

const origins = { manual: 'Manual', scheduled: 'Schedule', webhook: 'Webhook' } as const

export const presentListedRun = (row: RunFields) => ({
  ...row,
  cachedTokens: row.cachedTokens ?? 0,
  costUsd: row.costNanoUsd === null ? null : row.costNanoUsd / 1e9,
  triggeredBy: `Triggered by: ${origins[row.trigger]}${row.replayOf === null ? '' : ', replayed'}`,
})

/** A run with its answer and output, which come from its last step. */
export const presentRun = async ({ runs }: Pick<Services, 'runs'>, row: Run) => ({
  ...presentListedRun(row),
  ...(await runs.reading.answerOf(row)),
})
