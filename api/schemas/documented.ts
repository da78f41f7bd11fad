import * as v from 'valibot'

/**
 * What clients read about a schema, declared beside it. The OpenAPI document, and so every generated client, has its
 * names, descriptions and examples from here.
 */

/** A schema with its meaning, and with examples of its value as JSON. */
export const field = <Schema extends v.GenericSchema>(schema: Schema, description: string, ...examples: unknown[]) =>
  v.pipe(schema, v.metadata({ description, ...(examples.length > 0 && { examples }) }))

/**
 * A schema that is a component of the OpenAPI document, under this name. Every object and every enumeration has one:
 * a generated client invents names for those without.
 */
export const named = <Schema extends v.GenericSchema>(
  title: string,
  schema: Schema,
  description: string,
  ...examples: unknown[]
) => v.pipe(schema, v.metadata({ title, description, ...(examples.length > 0 && { examples }) }))

/** The name that `named` gave. Throws without one. */
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

/** Any JSON value, null included. */
export const anyJson = v.unknown()

/** A whole number. */
export const whole = v.pipe(v.number(), v.integer())

/** A whole number in a query, where everything is text. */
export function wholeInQuery(of: {
  description: string
  min: number
  max: number
  fallback: number
  pattern: RegExp
  message: string
}) {
  const { description, min, max, fallback, pattern, message } = of
  // The metadata replaces what a text would be in the OpenAPI document.
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

/** A schema that is served as it is and documented by a stricter one. Tests hold answers against the stricter one. */
export const documentedBy = <Schema extends v.GenericSchema>(schema: Schema, documentation: v.GenericSchema) =>
  v.pipe(schema, v.metadata({ documentation } as never))
