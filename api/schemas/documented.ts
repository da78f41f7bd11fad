import * as v from 'valibot'

/**
 * Documentation of schemas, declared beside them. The OpenAPI document and every generated client take their names,
 * descriptions and examples from here.
 */

/** A schema with its description and with examples of its value as JSON. */
export const field = <Schema extends v.GenericSchema>(schema: Schema, description: string, ...examples: unknown[]) =>
  v.pipe(schema, v.metadata({ description, ...(examples.length > 0 && { examples }) }))

/**
 * A schema that is a component of the OpenAPI document under this name. Every object and enumeration has a name;
 * otherwise generated clients would invent one.
 */
export const named = <Schema extends v.GenericSchema>(
  title: string,
  schema: Schema,
  description: string,
  ...examples: unknown[]
) => v.pipe(schema, v.metadata({ title, description, ...(examples.length > 0 && { examples }) }))

/** The name from `named`. Throws if there is none. */
export function nameOf(schema: v.GenericSchema): string {
  const { title, documentation } = v.getMetadata(schema) as { title?: string; documentation?: v.GenericSchema }
  if (documentation) return nameOf(documentation)
  if (title === undefined) throw new Error('a schema needs a name here; give it one with named()')
  return title
}

/** A JSON object with members of any name. Not a record: valibot's would drop members such as `constructor`. */
export const freeObject = (title: string, description: string, ...examples: unknown[]) =>
  v.pipe(
    v.custom<Record<string, unknown>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      'must be a JSON object',
    ),
    v.metadata({ type: 'object', additionalProperties: true, title, description, examples } as never),
  )

export const anyJson = v.unknown()

export const whole = v.pipe(v.number(), v.integer())

/** An integer in a query, where every value is a string. */
export function wholeInQuery(of: {
  description: string
  min: number
  max: number
  fallback: number
  pattern: RegExp
  message: string
}) {
  const { description, min, max, fallback, pattern, message } = of
  // The metadata replaces the string type in the OpenAPI document.
  const number = { description, type: 'integer', minimum: min, maximum: max, pattern: undefined }
  return v.pipe(
    v.optional(
      v.pipe(v.string('give it once'), v.regex(pattern, message), v.metadata(number as never)),
      String(fallback),
    ),
    v.transform(Number),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
  )
}

/**
 * A schema that is served unchanged and documented by a stricter one. Tests validate responses against the stricter
 * one.
 */
export const documentedBy = <Schema extends v.GenericSchema>(schema: Schema, documentation: v.GenericSchema) =>
  v.pipe(schema, v.metadata({ documentation } as never))
