type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The parts of a document that no type needs, and that would make the types ten times as long. */
const texts = new Set(['description', 'summary', 'example', 'examples'])

/**
 * The OpenAPI document as the console's types need it: without texts and examples, and with one kind of error for each
 * operation instead of one for each status.
 */
export function forConsole(document: Json): Json {
  const { openapi, info, paths, components } = document
  const { schemas } = components as { schemas: Json }
  const operations = Object.entries(paths as Record<string, Json>).map(([path, item]) => [path, operationsOf(item)])
  return {
    openapi,
    info,
    paths: Object.fromEntries(operations) as Json,
    components: { schemas: withoutTexts(schemas, true) },
  }
}

const operationsOf = (item: Json): Json =>
  Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, shortened(operation)]))

function shortened(operation: unknown): unknown {
  if (!isObject(operation) || !isObject(operation['responses'])) return operation
  const responses = Object.entries(operation['responses']) as [string, Json][]
  const successes = responses.filter(([status]) => status.startsWith('2'))
  const error = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } }
  const kept = [...successes, ['default', error] as const].map(([status, { content }]) => [
    status,
    { description: '', ...(content === undefined ? {} : { content: withoutTexts(jsonOf(content as Json)) }) },
  ])
  const { responses: _, security: __, ...rest } = operation
  return { ...(withoutTexts(rest) as Json), responses: Object.fromEntries(kept) as Json }
}

/** The console reads streams by an EventSource, which has no types. */
const jsonOf = (content: Json): Json =>
  'application/json' in content ? { 'application/json': content['application/json'] } : content

/** `named`: the keys are names that somebody chose, so a property may be called "description". */
function withoutTexts(value: unknown, named = false): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutTexts(one))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => named || !texts.has(key))
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutTexts(inner, !named && key === 'properties')]))
}
