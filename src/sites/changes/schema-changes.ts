import { isSame, textOf } from './same-json.ts'
import { isObject, joinPath } from '../../json.ts'
import { keywords, memberOf, type Keyword, type SchemaObject } from '../schema/schema-keywords.ts'
import { difference, type Difference } from './difference.ts'

/**
 * The differences of two input schemas. A change is `compatible` only if every argument accepted before is provably
 * still accepted. Any other rule change is `breaking`; annotations are `text`. Each keyword is compared separately: if
 * every rule of a schema is wider, so is the schema. `docs/sites/manifest-changes.md` has the table.
 *
 * One change is compatible by convention, not by proof: a new optional property, if the earlier schema had no rule for
 * further properties.
 */
export function* schemaChanges(before: unknown, after: unknown, path: string): Generator<Difference> {
  if (isSame(before, after)) return
  if (before === false) {
    yield difference(path, [before, after], 'compatible', 'Values that were not allowed before are now allowed.')
  } else if (after === false) {
    yield difference(path, [before, after], 'breaking', 'Values that were allowed are no longer allowed.')
  } else {
    const changes = changesOfKeywords(isObject(before) ? before : {}, isObject(after) ? after : {}, path)
    yield* isFragile(after) ? strictly(changes) : changes
  }
}

/** A keyword in two schemas, or one of its subschemas. `pair` holds the values, undefined if absent. */
interface Place {
  before: SchemaObject
  after: SchemaObject
  keyword: Keyword
  path: string
  pair: readonly [before: unknown, after: unknown]
}

function* changesOfKeywords(before: SchemaObject, after: SchemaObject, path: string): Generator<Difference> {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const pair = [memberOf(before, name), memberOf(after, name)] as const
    const place = joinPath(path, name)
    if ((pair[0] === undefined) === (pair[1] === undefined) && isSame(pair[0], pair[1])) continue
    if (!Object.hasOwn(keywords, name)) yield difference(place, pair, 'text', 'An annotation has changed.')
    else yield* changesOf({ before, after, keyword: name as Keyword, path: place, pair })
  }
}

/** The meaning of an absent keyword. The others have none. */
const unwritten: Partial<Record<Keyword, unknown>> = {
  minLength: 0,
  minItems: 0,
  minProperties: 0,
  minContains: 1,
  uniqueItems: false,
  required: [],
  dependentSchemas: {},
  properties: {},
  patternProperties: {},
  additionalProperties: true,
  unevaluatedProperties: true,
  propertyNames: true,
  items: true,
  unevaluatedItems: true,
}

function* changesOf(place: Place): Generator<Difference> {
  const { before, keyword, path, pair } = place
  const earlier = keyword === 'enum' && Object.hasOwn(before, 'const') ? [before['const']] : unwritten[keyword]
  const [was = earlier, is = unwritten[keyword]] = pair
  if (keyword === '$defs' || keyword === 'definitions' || (was !== undefined && isSameRule(keyword, was, is))) {
    yield difference(path, pair, 'text', 'This change has no effect.')
  } else if (was === undefined) yield narrower(place)
  else if (is === undefined) yield keyword === 'prefixItems' ? narrower(place) : wider(place)
  else if (isObject(was) && isObject(is) && keywords[keyword].startsWith('schemas by'))
    yield* changesByName(place, was, is)
  else if (keywords[keyword] === 'schema') yield* inside(place, schemaChanges(was, is, path))
  else if (Array.isArray(was) && Array.isArray(is) && keywords[keyword] === 'schemas')
    yield* changesInList(place, was, is)
  else yield isWider[keyword]?.(was, is) ? wider(place) : narrower(place)
}

const wider = ({ path, pair, keyword }: Place): Difference =>
  difference(path, pair, 'compatible', `The rule "${keyword}" still allows everything that was valid before.`)
const narrower = ({ path, pair, keyword }: Place): Difference =>
  difference(path, pair, 'breaking', `The rule "${keyword}" might reject arguments that were valid before.`)

type Comparison = (before: unknown, after: unknown) => boolean

const falls: Comparison = (before, after) => Number(after) <= Number(before)
const rises: Comparison = (before, after) => Number(after) >= Number(before)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

function isWithin(some: unknown, all: unknown): boolean {
  const known = new Set(listOf(all).map(textOf))
  return listOf(some).every((value) => known.has(textOf(value)))
}

const isSameRule = (keyword: Keyword, was: unknown, is: unknown): boolean =>
  is !== undefined &&
  (isSame(was, is) || ((keyword === 'enum' || keyword === 'required') && isWithin(was, is) && isWithin(is, was)))

/** Whether a rule's new value allows more than before. Any other change of a value narrows. */
const isWider: Partial<Record<Keyword, Comparison>> = {
  type: (before, after) => {
    const allowed = new Set(listOf(after))
    return listOf(before).every((name) => allowed.has(name) || (name === 'integer' && allowed.has('number')))
  },
  enum: isWithin,
  required: (before, after) => isWithin(after, before),
  dependentRequired: (before, after) =>
    isObject(after) && Object.entries(after).every(([name, names]) => isWithin(names, memberOf(before, name) ?? [])),
  multipleOf: (before, after) => [before, after].every(Number.isSafeInteger) && Number(before) % Number(after) === 0,
  uniqueItems: (before) => before === true,
  minLength: falls,
  maxLength: rises,
  minimum: falls,
  maximum: rises,
  exclusiveMinimum: falls,
  exclusiveMaximum: rises,
  minProperties: falls,
  maxProperties: rises,
  minContains: falls,
  maxContains: rises,
  minItems: falls,
  maxItems: rises,
}

function* changesInList(place: Place, before: unknown[], after: unknown[]): Generator<Difference> {
  if (after.length < before.length) yield narrower(place)
  else
    for (const [index, schema] of before.entries())
      yield* inside(place, schemaChanges(schema, after[index], joinPath(place.path, index)))
  if (after.length > before.length) yield place.keyword === 'anyOf' ? wider(place) : narrower(place)
}

function* changesByName(place: Place, before: SchemaObject, after: SchemaObject): Generator<Difference> {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const pair = [memberOf(before, name), memberOf(after, name)] as const
    const one = { ...place, path: joinPath(place.path, name), pair }
    if (pair[0] === undefined) yield place.keyword === 'properties' ? addedProperty(one) : narrower(one)
    else if (pair[1] !== undefined) yield* schemaChanges(pair[0], pair[1], one.path)
    else if (place.keyword === 'dependentSchemas') yield wider(one)
    else yield difference(one.path, pair, 'breaking', 'The property has been removed.')
  }
}

function addedProperty({ before, path, pair }: Place): Difference {
  const further = memberOf(before, 'additionalProperties')
  const patterns = memberOf(before, 'patternProperties')
  const isUnruled = (further === undefined || further === false) && Object.keys(patterns ?? {}).length === 0
  // The earlier rule for this name: a pattern may have accepted anything; otherwise `further`.
  const earlier = patterns === undefined ? further : true
  const changes = isUnruled ? [] : [...schemaChanges(earlier, pair[1], path)]
  if (changes.every((change) => change.class !== 'breaking'))
    return difference(path, pair, 'compatible', 'A property has been added.')
  return difference(path, pair, 'breaking', 'A property that was already allowed now has its own rules.')
}

/** The differences of a subschema, as they affect the outer schema. */
function inside({ keyword, after }: Place, changes: Iterable<Difference>): Iterable<Difference> {
  const isInverted = keyword === 'not' || keyword === 'if' || keyword === 'oneOf'
  const isCounted = keyword === 'contains' && memberOf(after, 'maxContains') !== undefined
  return isInverted || isCounted ? strictly(changes) : changes
}

/** With a rule for unevaluated parts, widening another rule may narrow the schema. */
const isFragile = (schema: unknown): boolean =>
  isObject(schema) &&
  ['unevaluatedProperties', 'unevaluatedItems'].some((name) => (memberOf(schema, name) ?? true) !== true)

/** For places where accepting more inside may mean accepting less outside: only texts may differ. */
function* strictly(changes: Iterable<Difference>): Generator<Difference> {
  for (const change of changes) {
    if (change.class === 'text') yield change
    else yield { ...change, class: 'breaking', message: 'This change might reject arguments that were valid before.' }
  }
}
