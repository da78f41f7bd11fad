import * as v from 'valibot'
import type { BulkReplay } from '../src/runs/accept/replay-failed.ts'
import { idempotencyKeyOf } from '../src/webhooks/delivery-identity.ts'
import { route } from './route/route.ts'
import { field, named, whole, wholeInQuery } from './schemas/documented.ts'
import { instant } from './schemas/instant.ts'
import { knownEndReason } from './schemas/run-schema.ts'
import { errorCode } from './schemas/schemas.ts'
import { agentNamed as resource } from './route/resources.ts'

const lastOfAll = 999_999_999_999
const first = 'First sequence number to look at'
const last = "Last sequence number to look at. By default, that of the agent's last run."
const repeating =
  'Whether to include deliveries with a `once` call that succeeded or has an unknown outcome. Such a call could then be made again.'

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
  endedSince: instant('Replay only runs that failed at or after this time (RFC 3339)'),
  endedUntil: instant('Replay only runs that failed before this time (RFC 3339)'),
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
    replayed: field(whole, 'Deliveries that have a later run, or a run that did not fail', 3),
    onceCalls: field(
      whole,
      'Deliveries with a `once` call that succeeded, has an unknown outcome, or is no longer stored',
      2,
    ),
    schema: field(whole, "Deliveries whose payload does not match the agent's current webhook schema", 0),
    purged: field(whole, 'Deliveries whose run or payload is no longer stored', 0),
  }),
  'Failed deliveries that are not replayed, counted by reason',
)

const next = named(
  'ReplayNext',
  v.object({
    from: field(whole, '`from` for the next request', 1001),
    to: field(whole, '`to` for the next request', 5200),
  }),
  'Where the next request continues. The rest of the filter stays the same.',
)

const stopped = named(
  'ReplayStopped',
  v.object({
    code: errorCode,
    error: field(v.string(), 'Human-readable reason why the request stopped early', 'You have no credits left.'),
  }),
  'Why the request stopped early',
)

const bulkReplay = named(
  'BulkReplay',
  v.object({
    replays: field(whole, 'Number of deliveries that were replayed or, in a preview, that would be replayed', 412),
    firstSequence: field(
      v.nullable(whole),
      'Sequence number of the first replay. Null in a preview or if there is none.',
    ),
    lastSequence: field(
      v.nullable(whole),
      'Sequence number of the last replay. Null in a preview or if there is none.',
    ),
    leftOut,
    next: field(v.nullable(next), 'Where to continue. Null if nothing is left.'),
    stopped: field(v.nullable(stopped), 'Why the request stopped early. Null if it did not.'),
    message: field(
      v.string(),
      'Human-readable summary of the result',
      '412 deliveries are being replayed, from sequence 5201 to 5612. The replays are at the end of the queue, so newer deliveries are processed first.',
    ),
  }),
  'Result of a replay or its preview',
)

const of = { tag: 'agents', access: 'account', path: '/agents/{agentId}/replay', resource } as const

export const previewReplay = route({
  ...of,
  name: 'previewReplay',
  method: 'get',
  summary: 'Preview a replay of failed deliveries',
  description:
    'Counts the deliveries that `POST /agents/{agentId}/replay` would replay with the same filter. Changes nothing. Looks at up to 1,000 runs. Does not check whether the queue and the account have room for the replays.',
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
  summary: 'Replay failed deliveries',
  description:
    'Adds replays of failed webhook runs to the end of the queue, in the order of their sequence numbers. A delivery that has already been replayed is left out unless its last replay also failed, so it is safe to repeat the request. One request looks at up to 1,000 runs and 16 MiB of payloads, and `next` says where to continue. See [Replay](/docs/how-to/replay).',
  headers: {
    'Idempotency-Key':
      'Key for this request and for the requests that continue it. No delivery is replayed twice under the same key, even if its replay fails.',
  },
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
