import { argumentProblems } from '../src/sites/tool-arguments.ts'
import { isObject } from '../src/json.ts'

type Arguments = Record<string, unknown>

/** Minimal arguments that match the schema; undefined if simple rules find none. */
export function sampleArguments(schema: Arguments): Arguments | undefined {
  const examples = Array.isArray(schema['examples']) ? schema['examples'] : []
  const candidates = [...examples, sample(schema)].filter(isObject)
  return candidates.find((candidate) => argumentProblems(schema, candidate).length === 0)
}

/** An object that does not match the schema, if there is one. */
export function violatingArguments(schema: Arguments): Arguments | undefined {
  const good = sampleArguments(schema) ?? {}
  const names = Object.keys(isObject(schema['properties']) ? schema['properties'] : {})
  const wrong = names.flatMap((name) => [{}, [], 'text', 1].map((value) => ({ ...good, [name]: value })))
  return [{}, ...wrong].find((candidate) => argumentProblems(schema, candidate).length > 0)
}

/** Valid arguments whose numbers and booleans are sent as strings; undefined if the schema allows that. */
export function convertibleArguments(schema: Arguments): Arguments | undefined {
  const good = sampleArguments(schema)
  const properties = Object.entries(isObject(schema['properties']) ? schema['properties'] : {})
  const texts = properties.flatMap(([name, one]) => {
    const value = good?.[name] ?? sample(one)
    return ['number', 'boolean'].includes(typeof value) ? [[name, String(value)] as const] : []
  })
  const candidates = texts.map(([name, value]) => ({ ...good, [name]: value }))
  return good && candidates.find((candidate) => argumentProblems(schema, candidate).length > 0)
}

function sample(schema: unknown): unknown {
  if (!isObject(schema)) return 'text'
  const offered = [schema['const'], schema['default'], firstOf(schema['examples']), firstOf(schema['enum'])]
  const given = offered.find((value) => value !== undefined)
  return given === undefined ? byType(schema) : given
}

const firstOf = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined)

function byType(schema: Arguments): unknown {
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  if (type === 'object') return sampleObject(schema)
  if (type === 'array') return Array.from({ length: Number(schema['minItems'] ?? 0) }, () => sample(schema['items']))
  if (type === 'number' || type === 'integer') return sampleNumber(schema)
  if (type === 'boolean') return false
  if (type === 'null') return null
  return sampleText(schema)
}

function sampleObject({ properties, required }: Arguments): Arguments {
  const names = Array.isArray(required) ? required.map(String) : []
  const schemas = isObject(properties) ? properties : {}
  return Object.fromEntries(names.map((name) => [name, sample(schemas[name])]))
}

function sampleNumber({ minimum, exclusiveMinimum, maximum, multipleOf }: Arguments): number {
  const least = Number(minimum ?? (exclusiveMinimum === undefined ? 1 : Number(exclusiveMinimum) + 1))
  const small = Math.min(least, Number(maximum ?? least))
  return multipleOf === undefined ? small : Math.ceil(small / Number(multipleOf)) * Number(multipleOf)
}

const formats: Record<string, string> = {
  date: '2026-11-21',
  time: '09:00:00Z',
  'date-time': '2026-11-21T09:00:00Z',
  duration: 'PT1H',
  email: 'check@example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '00000000-0000-4000-8000-000000000000',
  uri: 'https://example.com/',
}

function sampleText({ format, minLength, maxLength }: Arguments): string {
  const text = formats[String(format)] ?? 'test'
  return text.padEnd(Number(minLength ?? 0), 'x').slice(0, Number(maxLength ?? 10_000))
}
