import { isSameJson } from '../../canonical-json.ts'
import { joinPath } from '../../json.ts'
import { difference, type Difference } from './difference.ts'
import { comparers, memberOf } from './keyword-changes.ts'
import { isObject, keywords, type Keyword, type SchemaObject } from '../manifest/schema-keywords.ts'

/**
 * Where two input schemas differ. `compatible` is only what provably accepts every argument that was accepted before;
 * whatever is not understood to be wider is `breaking`; annotations are `text`. Each keyword is judged by itself: if
 * every rule of a schema is wider, so is the schema. See `docs/manifest-changes.md` for the table.
 *
 * One thing is compatible by agreement and not by proof: a new optional property where the schema before said nothing
 * of further properties. Nobody was told that it might be given.
 */
export function* schemaChanges(before: unknown, after: unknown, path: string): Generator<Difference> {
  if (isSameJson(before, after)) return
  if (before === false) {
    yield difference(path, [before, after], 'compatible', 'What was never allowed is allowed now.')
  } else if (after === false) {
    yield difference(path, [before, after], 'breaking', 'What was allowed is never allowed now.')
  } else {
    const changes = keywordChanges(isObject(before) ? before : {}, isObject(after) ? after : {}, path)
    yield* isFragile(after) ? strictly(changes) : changes
  }
}

function* keywordChanges(before: SchemaObject, after: SchemaObject, path: string): Generator<Difference> {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const pair = [memberOf(before, name), memberOf(after, name)] as const
    if (isSameJson(pair[0] ?? null, pair[1] ?? null) && (pair[0] === undefined) === (pair[1] === undefined)) continue
    const place = joinPath(path, name)
    if (!Object.hasOwn(keywords, name)) yield difference(place, pair, 'text', 'An annotation differs.')
    else yield* comparers[name as Keyword]({ before, after, keyword: name, path: place, pair, schemaChanges, strictly })
  }
}

/** Where what a schema leaves unevaluated is ruled, widening another rule of it may narrow that one. */
const isFragile = (schema: unknown): boolean =>
  isObject(schema) &&
  ['unevaluatedProperties', 'unevaluatedItems'].some((name) => (memberOf(schema, name) ?? true) !== true)

/** For places where accepting more inside may mean accepting less outside: nothing but texts may differ. */
function* strictly(changes: Iterable<Difference>): Generator<Difference> {
  for (const change of changes) {
    if (change.class === 'text') yield change
    else yield { ...change, class: 'breaking', message: 'Here it cannot be proved that no arguments are refused.' }
  }
}
