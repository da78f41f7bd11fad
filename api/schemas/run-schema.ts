import * as v from 'valibot'
import type { Run, RunFields } from '../../src/runs/run.ts'
import type { Services } from '../../src/services.ts'
import { endReasons, hasEnded, runStatuses, type EndReason } from '../../src/runs/states.ts'
import { anyJson, documentedBy, field, named, whole } from './documented.ts'
import { id, ownerId, runStatus, time, trigger } from './schemas.ts'

export const waitCause = named(
  'WaitCause',
  v.picklist(['rate_limit', 'credential', 'approval', 'paused', 'credits', 'model']),
  'What a `waiting` run waits for: its turn at the site, its AI model, or you to reconnect the site, to approve a tool ' +
    'call, to resume the agent, or to get credits',
)

export const endings = runStatuses.filter((status) => hasEnded(status))
export const endedStatus = named('EndedStatus', v.picklist(endings), 'How a run ended')

const reasons = Object.keys(endReasons) as [EndReason, ...EndReason[]]
const meanings = reasons.map((name) => `- \`${name}\`: ${endReasons[name]}`).join('\n')
/** As requests name it. */
export const knownEndReason = named(
  'EndReason',
  v.picklist(reasons, 'must be a run `reason`, such as MODEL_ERROR'),
  `Why a run ended without finishing:\n\n${meanings}`,
)
/** While a deploy is under way the record may have reasons that this process does not know. */
export const endReason = documentedBy(v.string(), knownEndReason)

const listed = {
  id,
  ownerId,
  agentId: field(id, 'The agent'),
  sequence: field(whole, "Its position in the agent's order of arrival, from 1", 12),
  trigger,
  triggeredBy: field(v.string(), 'For people: "Triggered by: Webhook"', 'Triggered by: Webhook'),
  status: runStatus,
  waitingCause: field(v.nullable(waitCause), 'What a `waiting` run waits for; null unless it waits', null),
  waitingFor: field(v.nullable(v.string()), 'The site that it waits for, or the model', null),
  waitingUntil: field(
    v.nullable(time),
    'When it looks again, or goes on without an approval; a run that waits for credits or for a site to be reconnected fails then',
    null,
  ),
  reason: field(v.nullable(endReason), 'Why it ended without finishing', null),
  error: field(v.nullable(v.string()), 'The reason as a sentence', null),
  steps: field(whole, 'How many answers the model gave', 3),
  toolCalls: field(whole, 'How many tool calls it made', 2),
  inputTokens: field(whole, 'Tokens that the model read', 1830),
  outputTokens: field(whole, 'Tokens that the model wrote', 212),
  cachedTokens: field(whole, 'The part of the tokens it read that the provider had in its cache', 1024),
  credits: field(whole, 'What it has cost so far', 3),
  costUsd: field(
    v.nullable(v.number()),
    'What its model calls have cost so far, in USD; null if it is unknown, because the price of one of them is. 0: nothing',
    0.0041,
  ),
  events: field(whole, 'How many events its timeline has', 13),
  replayOf: field(v.nullable(id), 'The run whose payload it replays; it may no longer be kept', null),
  requestId: field(v.string(), 'The request that started it', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a17'),
  acceptedAt: field(time, 'When it was accepted'),
  startedAt: field(v.nullable(time), 'When it left the queue'),
  cancelRequestedAt: field(v.nullable(time), 'When it was asked to end', null),
  endedAt: field(v.nullable(time), 'When it ended'),
}

/** A run in a list. */
export const listedRun = named('RunSummary', v.object(listed), 'An execution of an agent in a list')

/** A run, as its owner sees it. */
export const run = named(
  'Run',
  v.object({
    ...listed,
    answer: field(
      v.nullable(v.string()),
      'What the model said last; null unless the run is `completed`',
      'I have filed the issue.',
    ),
    output: field(
      anyJson,
      "The answer as a value that fits its agent's `outputSchema`, with its numbers as the model wrote them; null unless " +
        'the run is `completed`, and without a schema',
      { issue: 4711 },
    ),
  }),
  'One execution of an agent',
)

const origins = { manual: 'Manual', scheduled: 'Schedule', webhook: 'Webhook' } as const

export const presentListedRun = (row: RunFields) => ({
  ...row,
  cachedTokens: row.cachedTokens ?? 0,
  costUsd: row.costNanoUsd === null ? null : row.costNanoUsd / 1e9,
  triggeredBy: `Triggered by: ${origins[row.trigger]}${row.replayOf === null ? '' : ', replayed'}`,
})

/** With its answer and output, which are read from its last step. */
export const presentRun = async ({ runs }: Pick<Services, 'runs'>, row: Run) => ({
  ...presentListedRun(row),
  ...(await runs.reading.answerOf(row)),
})
