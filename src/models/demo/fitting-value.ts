import { isObject } from '../../json.ts'

/**
 * A value for a simple JSON Schema: a named constant, otherwise the required members of objects, the shortest lists,
 * the words for texts, and the smallest number. Patterns and conditions are beyond this model.
 */
export function fittingValue(schema: unknown, words: string): unknown {
  if (!isObject(schema)) return words
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return (schema['enum'][0] as unknown) ?? null
  const choices = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(choices)) {
    return fittingValue({ ...schema, anyOf: undefined, oneOf: undefined, ...(choices[0] as object) }, words)
  }
  return makers[typeOf(schema)]?.(schema, words) ?? null
}

type Schema = Record<string, unknown>

/** Without a type, the keywords decide. The default is a text. */
function typeOf({ type, properties, required, items }: Schema): string {
  const [first] = [type].flat()
  if (typeof first === 'string') return first
  if (properties !== undefined || required !== undefined) return 'object'
  return items === undefined ? 'string' : 'array'
}

const makers: Record<string, (schema: Schema, words: string) => unknown> = {
  object: ({ properties, required }, words) => {
    const members = isObject(properties) ? properties : {}
    const names = Array.isArray(required) ? required.map(String) : []
    return Object.fromEntries(
      names.map((name) => [name, fittingValue(Object.hasOwn(members, name) ? members[name] : {}, words)]),
    )
  },
  array: ({ minItems, items }, words) =>
    Array.from({ length: Math.min(numberOr(minItems, 0), 100) }, () => fittingValue(items, words)),
  string: ({ minLength, maxLength }, words) => {
    const characters = Array.from(words.padEnd(Math.min(numberOr(minLength, 0), 1000), '.'))
    return characters.slice(0, numberOr(maxLength, characters.length)).join('')
  },
  number: smallest,
  integer: smallest,
  boolean: () => false,
}

function smallest({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Schema): number {
  const least = Math.ceil(numberOr(minimum, numberOr(exclusiveMinimum, -1) + 1))
  return Math.min(least, Math.floor(numberOr(maximum, numberOr(exclusiveMaximum, least + 1) - 1)))
}

const numberOr = (value: unknown, other: number): number => (typeof value === 'number' ? value : other)
