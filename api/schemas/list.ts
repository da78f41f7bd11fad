import * as v from 'valibot'

/** The most details in an error (`VALIDATION_ERROR`). Validation stops after this many problems. */
export const mostDetails = 50

/** Marks a schema whose length is checked before its items. */
const bounded = Symbol('bounded')

export const isBounded = (schema: object): boolean => bounded in schema

/**
 * A list from outside with a length limit. A longer list is refused for its length alone, and validation stops after
 * fifty problems. Valibot's own arrays check every item first and keep every problem, so a client could make that take
 * arbitrarily long.
 */
export const list = <Item extends v.GenericSchema>(
  item: Item,
  max: number,
  sentence = `must have at most ${max} items`,
) => v.pipe(inOrder(v.array(item, 'must be a list'), max), v.maxLength(max, sentence))

/** The array. Checks items up to the limit, and stops after enough problems. */
function inOrder<Schema extends v.ArraySchema<v.GenericSchema, string>>(array: Schema, max: number): Schema {
  const run: Items['~run'] = (dataset, config) => {
    const input = dataset.value
    if (!Array.isArray(input)) return array['~run'](dataset, config)
    // The length is checked next.
    return input.length > max ? { typed: true, value: input } : checked(array.item, input, config)
  }
  return { ...array, [bounded]: true, '~run': run }
}

type Items = v.ArraySchema<v.GenericSchema, string>

function checked(
  item: v.GenericSchema,
  input: unknown[],
  config: v.Config<v.BaseIssue<unknown>>,
): ReturnType<Items['~run']> {
  const [value, issues]: [unknown[], v.BaseIssue<unknown>[]] = [[], []]
  let typed = true
  for (const [key, given] of input.entries()) {
    const found = item['~run']({ value: given }, config)
    typed &&= found.typed
    value.push(found.value)
    const place = { type: 'array', origin: 'value', input, key, value: given } as const
    for (const issue of found.issues ?? []) issues.push({ ...issue, path: [place, ...(issue.path ?? [])] })
    if (issues.length >= mostDetails) break
  }
  return (issues.length > 0 ? { typed, value, issues } : { typed, value }) as ReturnType<Items['~run']>
}
