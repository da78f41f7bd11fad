import * as v from 'valibot'
import type { Run, RunFields } from '../../src/runs/run.ts'
import type { Services } from '../../src/services.ts'
import { id, runStatus, time, trigger } from './schemas.ts'

/** A run in a list. */
export const listedRun = v.object({
  id,
  agentId: id,
  sequence: v.number(),
  trigger,
  triggeredBy: v.pipe(v.string(), v.metadata({ description: 'For people: "Triggered by: Webhook"' })),
  status: runStatus,
  waitingCause: v.pipe(
    v.nullable(v.picklist(['rate_limit', 'credential', 'paused', 'credits'])),
    v.metadata({
      description:
        'What a `waiting` run waits for: its turn at the site, or you to reconnect the site, to resume the agent, or ' +
        'to get credits',
    }),
  ),
  waitingFor: v.pipe(v.nullable(v.string()), v.metadata({ description: 'The site that it waits for' })),
  waitingUntil: v.pipe(
    v.nullable(time),
    v.metadata({ description: 'When it tries again; a run that waits for you fails then' }),
  ),
  reason: v.pipe(v.nullable(v.string()), v.metadata({ description: 'Why it ended without finishing' })),
  error: v.nullable(v.string()),
  steps: v.pipe(v.number(), v.metadata({ description: 'Its model calls that were answered' })),
  toolCalls: v.pipe(v.number(), v.metadata({ description: 'Tool calls that its model asked for' })),
  inputTokens: v.pipe(v.number(), v.metadata({ description: 'Tokens that its model has read, in all steps' })),
  outputTokens: v.pipe(v.number(), v.metadata({ description: 'Tokens that its model has written, in all steps' })),
  credits: v.pipe(v.number(), v.metadata({ description: 'What it has cost so far, in credits' })),
  events: v.pipe(v.number(), v.metadata({ description: 'How many events its timeline has' })),
  replayOf: v.pipe(
    v.nullable(id),
    v.metadata({ description: 'The run whose payload it replays; it may no longer be kept' }),
  ),
  requestId: v.string(),
  acceptedAt: time,
  startedAt: v.nullable(time),
  cancelRequestedAt: v.nullable(time),
  endedAt: v.nullable(time),
})

/** A run, as its owner sees it. */
export const run = v.object({
  ...listedRun.entries,
  answer: v.pipe(
    v.nullable(v.string()),
    v.metadata({ description: 'What the model said last; null unless the run is `completed`' }),
  ),
})

const origins = { manual: 'Manual', scheduled: 'Schedule', webhook: 'Webhook' } as const

export const presentListedRun = (row: RunFields) => ({
  ...row,
  triggeredBy: `Triggered by: ${origins[row.trigger]}${row.replayOf === null ? '' : ', replayed'}`,
})

/** With its answer, which is read from its last step. */
export const presentRun = async ({ runs }: Pick<Services, 'runs'>, row: Run) => ({
  ...presentListedRun(row),
  answer: await runs.reading.answerOf(row),
})
