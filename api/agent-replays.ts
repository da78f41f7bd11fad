import * as v from 'valibot'
import type { BulkReplay } from '../src/runs/accept/replay-failed.ts'
import { idempotencyKeyOf } from '../src/webhooks/identity.ts'
import { route } from './route/route.ts'
import { field, named, whole, wholeInQuery } from './schemas/documented.ts'
import { instant } from './schemas/instant.ts'
import { knownEndReason } from './schemas/run-schema.ts'
import { errorCode } from './schemas/schemas.ts'
import { agentNamed as resource } from './route/resources.ts'

const lastOfAll = 999_999_999_999
const first = 'The first sequence that is looked at'
const last = 'The last sequence that is looked at; without it, that of the last run of the agent'
const repeating =
  'true: also deliveries with a `once` call that succeeded or whose outcome is unknown. That call may be made again'

const sequence = v.pipe(
  v.number('must be a whole number'),
  v.integer('must be a whole number'),
  v.minValue(1, 'must be at least 1'),
  v.maxValue(lastOfAll, `must be at most ${lastOfAll}`),
)
const sequenceInQuery = (description: string, fallback: number) =>
  wholeInQuery({
    description,
    pattern: /^\d{1,12}$/,
    message: 'must be a whole number',
    min: 1,
    max: lastOfAll,
    fallback,
  })

const shared = {
  endedSince: instant('Only those that failed from this time on (RFC 3339)'),
  endedUntil: instant('Only those that failed before this time (RFC 3339)'),
  reason: v.optional(knownEndReason),
}

const filter = v.strictObject({
  from: v.optional(field(sequence, first, 1)),
  to: v.optional(field(sequence, last, 412)),
  ...shared,
  repeatOnceCalls: v.optional(field(v.boolean('must be true or false'), repeating, false)),
})

const filterInQuery = v.strictObject({
  from: sequenceInQuery(first, 1),
  to: sequenceInQuery(last, lastOfAll),
  ...shared,
  repeatOnceCalls: v.optional(
    named('RepeatOnceCalls', v.picklist(['true', 'false'], 'must be true or false'), repeating),
  ),
})

const leftOut = named(
  'LeftOut',
  v.object({
    replayed: field(whole, 'A later run of the delivery exists, or one that has not failed', 3),
    onceCalls: field(
      whole,
      'A run of the delivery made a `once` call that succeeded or whose outcome is unknown, or is no longer kept',
      2,
    ),
    schema: field(whole, "The payload does not match the agent's present webhook schema", 0),
    purged: field(whole, 'The run or its payload is no longer kept', 0),
  }),
  'How many failed deliveries are not replayed, by reason',
)

const next = named(
  'ReplayNext',
  v.object({ from: field(whole, 'Its `from`', 1001), to: field(whole, 'Its `to`', 5200) }),
  'The next request, with the rest of the filter as it was',
)

const stopped = named(
  'ReplayStopped',
  v.object({
    code: errorCode,
    error: field(v.string(), 'What was in the way, for people', 'The credits are used up.'),
  }),
  'Why a request stopped before it had replayed all that it was to',
)

const bulkReplay = named(
  'BulkReplay',
  v.object({
    replays: field(whole, 'How many deliveries were replayed; in a preview, how many would be', 412),
    firstSequence: field(v.nullable(whole), 'The sequence of the first replay; null in a preview and if there is none'),
    lastSequence: field(v.nullable(whole), 'The sequence of the last replay; null in a preview and if there is none'),
    leftOut,
    next: field(v.nullable(next), 'Where to continue; null if everything was looked at'),
    stopped: field(v.nullable(stopped), 'What stopped it early; null if nothing did'),
    message: field(
      v.string(),
      'The same for people',
      '412 deliveries are replayed, as the runs 5201 to 5612. They are queued behind what the agent had accepted before, so newer deliveries are processed first.',
    ),
  }),
  'What a request has replayed, or would replay',
)

const of = { tag: 'agents', access: 'account', path: '/agents/{agentId}/replay', resource } as const

export const previewReplay = route({
  ...of,
  name: 'previewReplay',
  method: 'get',
  summary: 'Count the failed deliveries that a replay would replay',
  description:
    'Changes nothing. Takes the filter of `POST /agents/{agentId}/replay`, and looks at the same deliveries, 1,000 at ' +
    'most. What the queue and the account have room for is not looked at.',
  query: filterInQuery,
  status: 200,
  response: bulkReplay,
  codes: ['AGENT_NOT_FOUND'],
  async handle({ services, resource, request, query: { repeatOnceCalls, ...query } }) {
    const asked = { requestId: request.id, idempotencyKey: undefined, repeatOnceCalls: repeatOnceCalls === 'true' }
    const outcome = await services.runs.accept.previewFailed(resource, query, asked)
    return { ...present(outcome), firstSequence: null, lastSequence: null, message: inWords(outcome, previewed) }
  },
})

export const replayDeliveries = route({
  ...of,
  name: 'replayDeliveries',
  audit: { subject: 'agent' },
  needs: 'use',
  method: 'post',
  summary: 'Replay the failed deliveries of an agent',
  description:
    'Replays runs that were triggered by webhook and have failed, in the order of their sequences. One request looks ' +
    'at 1,000 of them at most, and at 16 MiB of payloads; To continue, send the range in `next`. A delivery that was replayed ' +
    'is left out, unless that replay has failed, too: then the last one is replayed. So a request may be repeated. The ' +
    'replays go to the end of the queue, behind newer deliveries. With `Idempotency-Key`, no delivery is replayed twice ' +
    'under the key, whatever becomes of its replay.',
  headers: { 'Idempotency-Key': 'Names the requests; under the same key no delivery is replayed twice' },
  body: filter,
  status: 202,
  response: bulkReplay,
  codes: ['AGENT_NOT_FOUND', 'TIER_REQUIRED', 'SUBSCRIPTION_PAST_DUE', 'NO_CREDITS', 'FEATURE_LIMIT_REACHED'],
  async handle({ services, resource, request, body: { repeatOnceCalls = false, ...body } }) {
    const asked = { requestId: request.id, idempotencyKey: idempotencyKeyOf(request.header), repeatOnceCalls }
    const outcome = await services.runs.accept.replayFailed(resource, body, asked)
    return { ...present(outcome), message: inWords(outcome, replayed) }
  },
})

const present = ({ sequences, leftOut: left, next: rest, stopped: error }: BulkReplay) => ({
  replays: sequences.length,
  firstSequence: sequences[0] ?? null,
  lastSequence: sequences.at(-1) ?? null,
  leftOut: left,
  next: rest,
  stopped: error && { code: error.code, error: error.message },
})

const deliveries = (count: number): string => (count === 1 ? '1 delivery' : `${count} deliveries`)

const isOrAre = (count: number): string => (count === 1 ? 'is' : 'are')

const previewed = ({ length }: number[]): string =>
  `${deliveries(length)} would be replayed at the end of the queue, after newer deliveries.`

const replayed = (sequences: number[]): string =>
  `${deliveries(sequences.length)} ${isOrAre(sequences.length)} being replayed, from sequence ${sequences[0]} to ` +
  `${sequences.at(-1)}. The replays are at the end of the queue, so newer deliveries are processed first.`

function inWords({ sequences, leftOut: left, next: rest, stopped: error }: BulkReplay, done: typeof replayed): string {
  const others = Object.values(left).reduce((sum, count) => sum + count, 0)
  return [
    sequences.length === 0 ? 'There are no deliveries to replay.' : done(sequences),
    ...(others > 0 ? [`${deliveries(others)} ${isOrAre(others)} left out. \`leftOut\` gives the reasons.`] : []),
    ...(error ? [`The replay stopped there. ${error.message}`] : []),
    ...(rest ? ['To continue, send the range in `next`.'] : []),
  ].join(' ')
}
