import { meaningsOfParts } from '../../api/schemas/chat-part.ts'
import { openapi } from '../../api/openapi/openapi.ts'
import { nameOf, type ApiDocument, type Schema } from '../../api/docs/reference/document.ts'
import { routes } from '../../api/routes.ts'
import { notificationMeanings } from './notification-meanings.ts'
import { pageOf, sentence, table } from './table.ts'

/** docs/reference/events.md, generated from the OpenAPI document, which tests validate against real events. */
export function eventsPage(): string {
  const document = openapi(routes, 'http://127.0.0.1:3000') as unknown as ApiDocument
  const schemas = (name: string): Schema => document.components.schemas[name] ?? {}
  return pageOf(
    '# Events',
    'This page lists timeline events, what streams send, the kinds of notifications, and the body of a callback.',
    '## Timeline',
    "`GET /runs/{runId}/events` returns a run's timeline. Each event has a `number`, a `kind`, a time `at` and its `data`. Ignore kinds and members that you do not recognize. Later versions may add some.",
    ...eventKinds(schemas),
    '## Streams of runs',
    'If you request `text/event-stream`, the same events are sent as server-sent events: `event` is the kind, `id` the number, and `data` the event as JSON. [Watch a run](../how-to/watch-a-run.md) shows how. Between these events, `words` events carry the text of an unfinished answer. They have no `id` and are not part of the timeline:',
    `### \`words\``,
    members('WordsData', schemas),
    'An `error` event has an error body and ends the stream.',
    '## Streams of chats',
    'A chat answer is streamed in parts, in the format of the AI SDK. The last one is followed by `[DONE]`.',
    table(
      ['Type', 'Meaning'],
      Object.entries(meaningsOfParts).map(([type, meaning]) => [`\`${type}\``, sentence(meaning)]),
    ),
    '## Notifications',
    '`GET /notifications` lists what needs your attention. [Read notifications](../how-to/notifications.md) shows how. Each notification has one of these kinds:',
    table(
      ['Kind', 'Meaning'],
      Object.entries(notificationMeanings).map(([kind, meaning]) => [`\`${kind}\``, meaning]),
    ),
    '## Callbacks',
    "When a run ends, Switchyard posts this body to the agent's `callbackUrl`. [Get a callback](../how-to/callbacks.md) shows how to verify it.",
    ...callbackOf(document, schemas),
  )
}

type Find = (name: string) => Schema

function eventKinds(schemas: Find): string[] {
  return (schemas('RunEvent').oneOf ?? []).flatMap(({ $ref = '' }) => {
    const { properties: { kind = {}, data = {} } = {} } = schemas(nameOf($ref))
    return [
      `### \`${String(kind.const)}\``,
      sentence(kind.description ?? ''),
      members(nameOf(data.$ref ?? ''), schemas),
    ]
  })
}

function members(name: string, schemas: Find): string {
  const { properties = {}, required = [] } = schemas(name)
  const rows = Object.entries(properties).map(([member, schema]) => [
    `\`${member}\``,
    typeOf(schema, schemas) + (required.includes(member) ? '' : ', optional'),
    meaningOf(schema, schemas),
  ])
  return rows.length === 0 ? 'It has no data.' : table(['Member', 'Type', 'Meaning'], rows)
}

/** A type in a few words. The values of an enumeration are listed with its meaning. */
function typeOf(schema: Schema, schemas: Find): string {
  if (schema.$ref !== undefined) return typeOf(schemas(nameOf(schema.$ref)), schemas)
  const several = schema.anyOf ?? schema.oneOf
  if (several) return [...new Set(several.map((one) => typeOf(one, schemas)))].join(' or ')
  if (schema.items) return `list of ${typeOf(schema.items, schemas)}`
  return schema.format === 'date-time'
    ? 'date and time'
    : (schema.type ?? (schema.const === undefined ? 'any' : typeof schema.const))
}

function meaningOf(schema: Schema, schemas: Find): string {
  const of = schema.$ref === undefined ? {} : schemas(nameOf(schema.$ref))
  const first = (schema.description ?? of.description ?? '').split(/:?\n\n/, 1)[0] ?? ''
  return [sentence(first), ...valuesOf(schema.enum ?? of.enum)].join(' ')
}

const most = 20

/** Error codes have their own page. */
function valuesOf(values: readonly unknown[] = []): string[] {
  if (values.length === 0) return []
  if (values.length > most) return ['See [errors](errors.md).']
  return [`One of ${values.map((value) => `\`${String(value)}\``).join(', ')}.`]
}

function callbackOf({ webhooks }: ApiDocument, schemas: Find): string[] {
  const { schema, example } = webhooks['runEnded']?.post.requestBody?.content['application/json'] ?? { schema: {} }
  return [
    members(nameOf(schema.$ref ?? ''), schemas),
    'The `data`:',
    members('EndedRun', schemas),
    'An example:',
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
  ]
}
