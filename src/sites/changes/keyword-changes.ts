import { canonicalJson } from '../../canonical-json.ts'
import { joinPath } from '../../json.ts'
import { difference, type Difference } from './difference.ts'
import { isObject, type Keyword, type SchemaObject } from '../manifest/schema-keywords.ts'

type Pair = readonly [before: unknown, after: unknown]

/** One keyword that differs between two schemas, with what its meaning may depend on. */
interface KeywordPair {
  before: SchemaObject
  after: SchemaObject
  keyword: string
  path: string
  pair: Pair
  schemaChanges: (before: unknown, after: unknown, path: string) => Iterable<Difference>
  strictly: (changes: Iterable<Difference>) => Iterable<Difference>
}

type Comparer = (pair: KeywordPair) => Iterable<Difference>

/** A member of the object itself, never one that it inherits. */
export const memberOf = (object: unknown, name: string): unknown =>
  isObject(object) && Object.hasOwn(object, name) ? object[name] : undefined

const wider = ({ path, pair, keyword }: KeywordPair): Difference[] => [
  difference(path, pair, 'compatible', `The rule "${keyword}" still lets through everything that was right before.`),
]
const narrower = ({ path, pair, keyword }: KeywordPair): Difference[] => [
  difference(path, pair, 'breaking', `The rule "${keyword}" may refuse what was right before.`),
]
const textOnly: Comparer = ({ path, pair }) => [difference(path, pair, 'text', 'What differs has no effect.')]

/** Wider where it is no longer asked for, or where the values say so; never where it was not asked for before. */
const rule =
  (isWider: (before: unknown, after: unknown) => boolean): Comparer =>
  (given) => {
    const [before, after] = given.pair
    return after === undefined || (before !== undefined && isWider(before, after)) ? wider(given) : narrower(given)
  }

/** A limit that counts from a default where it is not given. */
const atLeast =
  (fallback: number): Comparer =>
  (given) => {
    const [before = fallback, after = fallback] = given.pair
    if (before === after) return textOnly(given)
    return Number(after) < Number(before) ? wider(given) : narrower(given)
  }

const lower = rule((before, after) => Number(after) <= Number(before))
const upper = rule((before, after) => Number(after) >= Number(before))
const removable = rule(() => false)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

/** Whether every entry of one list is in the other one. */
function isWithin(some: unknown, all: unknown): boolean {
  const known = new Set(listOf(all).map(canonicalJson))
  return listOf(some).every((value) => known.has(canonicalJson(value)))
}

const type = rule((before, after) => {
  const allowed = new Set(listOf(after))
  return listOf(before).every((name) => allowed.has(name) || (name === 'integer' && allowed.has('number')))
})
const allowedValues: Comparer = (given) => {
  const [before, after] = given.pair
  const wasConst = memberOf(given.before, 'const')
  const earlier = before ?? (wasConst === undefined ? undefined : [wasConst])
  if (isSameSet(before, after)) return textOnly(given)
  return after === undefined || (earlier !== undefined && isWithin(earlier, after)) ? wider(given) : narrower(given)
}
const isSameSet = (one: unknown, other: unknown): boolean =>
  one !== undefined && other !== undefined && isWithin(one, other) && isWithin(other, one)

/** Names that must be there: none may come, any may go. */
const required: Comparer = (given) => {
  const [before, after] = given.pair
  if (isSameSet(before ?? [], after ?? [])) return textOnly(given)
  return isWithin(after ?? [], before ?? []) ? wider(given) : narrower(given)
}
const dependentRequired = rule(
  (before, after) =>
    isObject(after) && Object.entries(after).every(([name, names]) => isWithin(names, memberOf(before, name) ?? [])),
)
const multipleOf = rule((before, after) => {
  const whole = Number.isSafeInteger(before) && Number.isSafeInteger(after)
  return whole && Number(after) > 0 && Number(before) % Number(after) === 0
})
const uniqueItems: Comparer = (given) => {
  const [before, after] = given.pair
  if (before !== true && after !== true) return textOnly(given)
  return after === true ? narrower(given) : wider(given)
}

/** A schema that may be left out, which means that everything is right. */
const inner: Comparer = ({ pair: [before = true, after = true], path, schemaChanges }) =>
  schemaChanges(before, after, path)

/** A schema that turns right into wrong somewhere: it may go, but not change. */
const exact: Comparer = (given) => {
  const [before, after] = given.pair
  if (before === undefined || after === undefined) return removable(given)
  return given.strictly(given.schemaChanges(before, after, given.path))
}
const contains: Comparer = (given) => {
  const [before, after] = given.pair
  const isCounted = memberOf(given.after, 'maxContains') !== undefined
  if (before === undefined || after === undefined || isCounted) return exact(given)
  return given.schemaChanges(before, after, given.path)
}
const consequence: Comparer = (given) => {
  const [before, after] = given.pair
  return before === undefined || after === undefined ? removable(given) : given.schemaChanges(before, after, given.path)
}

/** Lists of schemas, entry by entry. `further` says what entries at the end mean. */
const schemas =
  (further: Comparer, each: (given: KeywordPair, changes: Iterable<Difference>) => Iterable<Difference>): Comparer =>
  (given) => {
    const [before, after] = given.pair
    if (!Array.isArray(before) || !Array.isArray(after)) return removable(given)
    if (after.length < before.length) return narrower(given)
    const changes = before.flatMap((schema: unknown, index) => [
      ...each(given, given.schemaChanges(schema, after[index], joinPath(given.path, index))),
    ])
    return after.length > before.length ? [...changes, ...further(given)] : changes
  }
const asTheyAre = (_given: KeywordPair, changes: Iterable<Difference>) => changes
const allOf = schemas(narrower, asTheyAre)
const anyOf = schemas(wider, asTheyAre)
const oneOf = schemas(narrower, ({ strictly }, changes) => strictly(changes))
/** Without it, `items` would rule the first entries too. */
const prefixItems: Comparer = (given) =>
  given.pair.every(Array.isArray) ? schemas(narrower, asTheyAre)(given) : narrower(given)

/** Schemas by name: those of both are compared, the others judged by whether they came or went. */
const byName =
  (added: Comparer, removed: Comparer): Comparer =>
  (given) => {
    const [before = {}, after = {}] = given.pair
    const names = new Set([...Object.keys(before as object), ...Object.keys(after as object)])
    return [...names].flatMap((name) => {
      const pair = [memberOf(before, name), memberOf(after, name)] as const
      const one = { ...given, path: joinPath(given.path, name), pair }
      if (pair[0] === undefined) return [...added(one)]
      return pair[1] === undefined ? [...removed(one)] : [...given.schemaChanges(pair[0], pair[1], one.path)]
    })
  }
const removedProperty: Comparer = ({ path, pair }) => [
  difference(path, pair, 'breaking', 'The property is no longer there.'),
]
const addedProperty: Comparer = ({ path, pair, before, schemaChanges }) => {
  const further = memberOf(before, 'additionalProperties')
  const patterns = memberOf(before, 'patternProperties')
  const unruled = (further === undefined || further === false) && Object.keys(patterns ?? {}).length === 0
  // What could be given under this name before: by a pattern perhaps, so nothing is known of it; or by `further`.
  const earlier = patterns === undefined ? further : true
  const isWider = unruled || [...schemaChanges(earlier, pair[1], path)].every((change) => change.class !== 'breaking')
  if (isWider) return [difference(path, pair, 'compatible', 'There is a new property.')]
  return [difference(path, pair, 'breaking', 'A property that could be given before has rules of its own now.')]
}

/** What a difference in each keyword means. The table is complete, so that a new keyword cannot be forgotten. */
export const comparers: Record<Keyword, Comparer> = {
  type,
  enum: allowedValues,
  const: removable,
  format: removable,
  pattern: removable,
  minLength: atLeast(0),
  maxLength: upper,
  minimum: lower,
  maximum: upper,
  exclusiveMinimum: lower,
  exclusiveMaximum: upper,
  multipleOf,
  required,
  properties: byName(addedProperty, removedProperty),
  patternProperties: byName(narrower, removedProperty),
  additionalProperties: inner,
  unevaluatedProperties: inner,
  propertyNames: inner,
  minProperties: atLeast(0),
  maxProperties: upper,
  dependentRequired,
  dependentSchemas: byName(narrower, wider),
  items: inner,
  prefixItems,
  unevaluatedItems: inner,
  contains,
  minContains: atLeast(1),
  maxContains: upper,
  minItems: atLeast(0),
  maxItems: upper,
  uniqueItems,
  allOf,
  anyOf,
  oneOf,
  not: exact,
  if: exact,
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so, and a function that is not called `then` by anybody
  then: consequence,
  else: consequence,
  $defs: textOnly,
  definitions: textOnly,
}
