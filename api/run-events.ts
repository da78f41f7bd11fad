import * as v from 'valibot'
import { route } from './route/route.ts'
import { beginning, reached, timelineHeaders, timelineQuery } from './route/timeline-position.ts'
import { field, named } from './schemas/documented.ts'
import { event } from './schemas/event-schema.ts'
import { words } from './schemas/live-text-schema.ts'
import { outlinedEvent } from './schemas/outline-schema.ts'
import { runNamed as resource } from './route/resources.ts'

const shared = { tag: 'runs', access: 'account', status: 200 } as const

export const listEvents = route({
  ...shared,
  name: 'listEvents',
  method: 'get',
  path: '/runs/{runId}/events',
  summary: "Get a run's timeline",
  description:
    'Events are numbered from 1 without gaps. To continue reading, set `after` to the last number you have. A number that the run has not reached is rejected. A page ends early when its events reach 1 MiB. See [Watch a ' +
    'run](/docs/how-to/watch-a-run).',
  query: v.strictObject(timelineQuery),
  headers: timelineHeaders,
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

export const outlineEvents = route({
  ...shared,
  name: 'outlineEvents',
  method: 'get',
  path: '/runs/{runId}/outline',
  summary: "Get a run's timeline without bodies",
  description:
    'The same events as `GET /runs/{runId}/events`, without payloads, prompts, arguments, results and outputs, for pages that show a whole run. To read event 12 in full, request `/runs/{runId}/events?after=11&limit=1`.',
  query: v.strictObject(timelineQuery),
  headers: timelineHeaders,
  response: named(
    'OutlinePage',
    v.object({
      items: field(v.array(outlinedEvent), 'Events, in order'),
      more: field(v.boolean(), 'Whether there are later events'),
    }),
    'Page of a timeline without bodies',
  ),
  resource,
  codes: ['RUN_NOT_FOUND'],
  handle: ({ services, resource, query }) =>
    services.runs.reading.outline(resource, reached(resource, query.after, 'after'), query.limit),
  stream: {
    description: 'With `Accept: text/event-stream`, events are sent as they happen, with `words` between them.',
    item: outlinedEvent,
    passing: words,
    async open({ services, resource, query, request, signal }) {
      const after = beginning(resource, request.header('last-event-id'), query)
      const isOver = resource.endedAt !== null && after >= resource.events
      return isOver ? undefined : services.runs.watching.watch(resource, after, signal, 'outline')
    },
  },
})
