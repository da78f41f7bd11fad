import * as v from 'valibot'
import { field, named } from './documented.ts'
import { endedStatus, endings, run } from './run-schema.ts'
import { time } from './schemas.ts'

const { id, agentId, sequence, trigger, reason, error, replayOf } = run.entries
const { acceptedAt, startedAt, steps, toolCalls, credits, output } = run.entries
const endedAt = field(time, 'When the run ended')

const endedRun = named(
  'EndedRun',
  v.object({
    runId: field(id, 'The run'),
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
    answer: field(
      v.nullable(v.string()),
      "The text of the run's last step; null if there is none",
      'Issue 4711 is labelled and assigned.',
    ),
    answerCut: field(v.boolean(), 'Whether `answer` was cut after 32 KiB', false),
    output,
  }),
  'A run that has ended',
)

/** What a callback posts: `src/callbacks/` builds it, and a test holds it against this. */
export const ending = named(
  'RunEnded',
  v.object({
    type: named(
      'RunEndedType',
      v.picklist(endings.map((end) => `run.${end}` as const)),
      'How the run ended, as the type of an event',
    ),
    timestamp: endedAt,
    data: endedRun,
  }),
  'The ending of a run, as it is posted to the `callbackUrl` of its agent',
)
