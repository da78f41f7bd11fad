import { hostileObjects } from '../../test/helpers/hostile-json.ts'

/** The schema of a value in the OpenAPI document, as far as it is needed to make one. */
export interface Schema {
  $ref?: string
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  examples?: unknown[]
  enum?: unknown[]
  const?: unknown
  pattern?: string
}

export type Components = Record<string, Schema>

/** Stands for the text of a value until it is replaced. */
const place = '@place@'
const cheap = ['1', '""', 'null', '[]', '{}', 'true', '"x"']

/** A list with as many copies of an item as fit. */
const listOf = (item: string, bytes: number): string =>
  `[${Array.from({ length: Math.max(1, Math.floor((bytes - 2) / (item.length + 1))) }, () => item).join(',')}]`

/** Bodies of this size for a schema. Each has another large part: one of its lists, texts or objects. */
export function variantsOf(schema: Schema, components: Components, bytes: number): Record<string, string> {
  const found: Record<string, string> = {}
  for (const body of alternatives(schema, components)) {
    for (const [path, at, text] of places(body, components)) {
      const room = bytes - text.length
      const put = (what: string, value: string) => {
        found[`${path} ${what}`] = text.replace(`"${place}"`, () => value)
      }
      for (const item of cheap) put(`a list of ${item}`, listOf(item, room))
      put('a long text', JSON.stringify('x'.repeat(room - 2)))
      put('a text of quotation marks', `"${'\\"'.repeat((room - 2) / 2)}"`)
      put('an object of many members', membersOf(room))
      for (const item of itemsOf(at, components)) put('a list of good items', listOf(JSON.stringify(item), room))
    }
  }
  for (const [what, text] of Object.entries(hostileObjects(bytes))) found[`unknown: ${what}`] = text
  return found
}

const membersOf = (bytes: number): string =>
  `{${Array.from({ length: Math.max(1, Math.floor((bytes - 2) / 12)) }, (_, index) => `"m${String(index).padStart(6, '0')}":0`).join(',')}}`

/** Every place of an object: its path, its schema, and the text of a body in which it is still open. */
function* places(schema: Schema, components: Components): Generator<[string, Schema, string]> {
  const sample = sampleOf(schema, components)
  if (typeof sample !== 'object' || sample === null || Array.isArray(sample)) return
  for (const [name, each] of Object.entries(schema.properties ?? {})) {
    const within = (value: unknown) => JSON.stringify({ ...sample, [name]: value })
    for (const at of alternatives(each, components)) {
      yield [name, at, within(place)]
      for (const item of at.items ? alternatives(at.items, components) : []) {
        for (const [path, inner, text] of places(item, components))
          yield [`${name}.0.${path}`, inner, within('@outer@').replace('"@outer@"', () => `[${text}]`)]
      }
    }
  }
}

const itemsOf = ({ items }: Schema, components: Components): unknown[] =>
  items ? alternatives(items, components).map((each) => sampleOf(each, components)) : []

/** The possible schemas of a value, without references. */
function alternatives(schema: Schema, components: Components): Schema[] {
  const { $ref, anyOf } = schema
  if ($ref !== undefined) return alternatives(components[$ref.split('/').at(-1) ?? ''] ?? {}, components)
  return anyOf ? anyOf.flatMap((each) => alternatives(each, components)) : [schema]
}

/** A valid value with the required members. */
export function sampleOf(schema: Schema, components: Components): unknown {
  const [first = {}] = alternatives(schema, components)
  if (first.const !== undefined) return first.const
  if (first.examples?.[0] !== undefined) return first.examples[0]
  if (first.enum?.[0] !== undefined) return first.enum[0]
  if (first.properties) {
    const members = (first.required ?? []).map((name) => [name, sampleOf(first.properties?.[name] ?? {}, components)])
    return Object.fromEntries(members) as unknown
  }
  const usual: Record<string, unknown> = { array: [], string: 'x', integer: 1, number: 1, boolean: true, object: {} }
  return usual[first.type ?? 'null'] ?? null
}
