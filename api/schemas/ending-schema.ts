import * as v from 'valibot'
import { field, named } from './documented.ts'
import { idOf } from './example-ids.ts'
import { endedStatus, endings, run } from './run-schema.ts'
import { time } from './schemas.ts'

const { agentId, sequence, trigger, reason, error, replayOf } = run.entries
const { acceptedAt, startedAt, steps, toolCalls, credits, output } = run.entries
const endedAt = field(time, 'When the run ended', '2026-11-21T09:00:07.903Z')

const endedRun = named(
  'EndedRun',
  v.object({
    runId: idOf('run', 'Id of the run'),
    agentId,
    sequence,
    trigger,
    status: endedStatus,
    reason,
    error,
    replayOf,
    acceptedAt,
    startedAt,
    endedAt,
    steps,
    toolCalls,
    credits,
    answer: field(v.nullable(v.string()), "Answer from the run's last step. Null if there is none.", '{"issue":4711}'),
    answerCut: field(v.boolean(), 'Whether `answer` was truncated to 32 KiB', false),
    output,
  }),
  'Run that has ended',
)

/** The body of a callback. `src/callbacks/` builds it, and a test validates it against this schema. */
export const ending = named(
  'RunEnded',
  v.object({
    type: named(
      'RunEndedType',
      v.picklist(endings.map((end) => `run.${end}` as const)),
      'Event type, which depends on the final status of the run',
    ),
    timestamp: endedAt,
    data: endedRun,
  }),
  'Body of a callback: a run that has ended',
)
