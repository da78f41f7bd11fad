import * as v from 'valibot'
import { assertThat, CodedError } from '../../src/errors.ts'
import { wholeInQuery } from '../schemas/documented.ts'

/** Where to continue, how much to read, and where a stream continues. */
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
export function beginning(
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
export function reached({ events }: { events: number }, after: number, path: string): number {
  if (after <= events) return after
  const message = `${path} is ${after}, but the run has only ${events} ${events === 1 ? 'event' : 'events'} so far.`
  throw new CodedError('VALIDATION_ERROR', { message, details: [{ path, message: `must be at most ${events}` }] })
}

export const timelineQuery = { after, limit, lastEventId: v.optional(lastEvent) }

export const timelineHeaders = {
  'Last-Event-ID':
    'For a stream: number of the last event you have. Unless it is empty, this header overrides `after` and `lastEventId`.',
}
