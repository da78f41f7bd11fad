import * as v from 'valibot'
import { assertThat, CodedError } from '../src/errors.ts'
import { route } from './route/route.ts'
import { field, named, wholeInQuery } from './schemas/documented.ts'
import { event } from './schemas/event-schema.ts'
import { words } from './schemas/live-text-schema.ts'
import { runNamed as resource } from './route/resources.ts'

const shared = { tag: 'runs', access: 'account', status: 200 } as const

const after = wholeInQuery({
  description: 'Number of the last event you have',
  pattern: /^\d{1,9}$/,
  message: 'must be the number of an event',
  min: 0,
  max: 999_999_999,
  fallback: 0,
})
const lastEvent = v.pipe(
  v.string('must be the number of an event'),
  v.regex(/^\d{1,9}$/, 'must be the number of an event'),
  v.metadata({
    description:
      'For a stream: number of the last event you have. Overrides `after`. The `Last-Event-ID` header overrides both.',
    examples: ['3'],
  }),
  v.transform(Number),
)
const limit = wholeInQuery({
  description: 'Maximum number of events to return',
  pattern: /^\d{1,4}$/,
  message: 'must be a number from 1 to 1000',
  min: 1,
  max: 1000,
  fallback: 200,
})

/**
 * Where a stream continues: after the client's last event (HTML, 9.2.4; an empty header counts as absent). Clients that
 * cannot set headers name the event in the query.
 */
function beginning(
  run: { events: number },
  lastEventId: string | undefined,
  query: { after: number; lastEventId?: number | undefined },
): number {
  if (!lastEventId && query.lastEventId !== undefined) return reached(run, query.lastEventId, 'lastEventId')
  if (!lastEventId) return reached(run, query.after, 'after')
  const details = [{ path: 'Last-Event-ID', message: 'must be the number of an event' }]
  assertThat(/^\d{1,9}$/.test(lastEventId), 'VALIDATION_ERROR', { message: 'Last-Event-ID is invalid.', details })
  return reached(run, Number(lastEventId), 'Last-Event-ID')
}

/**
 * Refuses a number that the run has not reached, because the events up to it would be skipped silently. A client that
 * has seen an event is never refused: events are counted when they are written, and the run is read later.
 */
function reached({ events }: { events: number }, after: number, path: string): number {
  if (after <= events) return after
  const message = `${path} is ${after}, but the run has only ${events} ${events === 1 ? 'event' : 'events'} so far.`
  throw new CodedError('VALIDATION_ERROR', { message, details: [{ path, message: `must be at most ${events}` }] })
}

export const listEvents = route({
  ...shared,
  name: 'listEvents',
  method: 'get',
  path: '/runs/{runId}/events',
  summary: "Get a run's timeline",
  description:
    'Events are numbered from 1 without gaps. To continue reading, set `after` to the last number you have. A number that the run has not reached is rejected. A page ends early when its events reach 1 MiB. See [Watch a ' +
    'run](/docs/how-to/watch-a-run).',
  query: v.strictObject({ after, limit, lastEventId: v.optional(lastEvent) }),
  headers: {
    'Last-Event-ID':
      'For a stream: number of the last event you have. Unless it is empty, this header overrides `after` and `lastEventId`.',
  },
  response: named(
    'RunEventPage',
    v.object({
      items: field(v.array(event), 'Events, in order'),
      more: field(
        v.boolean(),
        'Whether there are later events. To read them, set `after` to the number of the last event you have.',
      ),
    }),
    'Page of a timeline',
  ),
  resource,
  codes: ['RUN_NOT_FOUND'],
  handle: ({ services, resource, query }) =>
    services.runs.reading.timeline(resource, reached(resource, query.after, 'after'), query.limit),
  stream: {
    description:
      'With `Accept: text/event-stream`, events are sent as they happen, until the run ends. `limit` is ignored. `words` ' +
      'events have no `id` and are not part of the timeline. Their `data` is text that the model is still writing, such as ' +
      '`{"kind":"words","data":{"step":1,"attempt":1,"offset":0,"text":"I look"}}`. An `offset` of 0 marks the start: ' +
      'discard any earlier text of that step. `step.finished` contains the full text.',
    item: event,
    passing: words,
    async open({ services, resource, query, request, signal }) {
      const after = beginning(resource, request.header('last-event-id'), query)
      const isOver = resource.endedAt !== null && after >= resource.events
      return isOver ? undefined : services.runs.watching.watch(resource, after, signal)
    },
  },
})
