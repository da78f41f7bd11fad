import { isObject } from '../../../../json.ts'
import { shortened, storable } from '../../../../text.ts'
import { keywordForms } from '../../../schema/keyword-forms.ts'
import { compilePattern } from '../../../schema/linear-patterns.ts'
import { keywords, type Keyword, type SchemaObject } from '../../../schema/schema-keywords.ts'
import { copyConstant } from './copy-data.ts'
import { membersOf, spend, type Copying, type PatternsLeft } from './copying.ts'
import type { Place } from './documents.ts'

/** References that are open at a time. */
const maxOpen = 40
const noReferences: ReadonlySet<string> = new Set()

/**
 * A copy of a schema without references, of which only known keywords are left. It is never stricter than the original:
 * what cannot be written down is left out, because the server checks its arguments itself. A schema that contains itself
 * is open where it does. Properties that only responses have are left out. Throws TooLarge.
 */
export function copySchema(place: Place, copying: Copying, level = 0, open = noReferences): unknown {
  const { value, document } = place
  spend(copying, 8)
  if (typeof value === 'boolean') return value
  if (!isObject(value)) return {}
  if (Object.hasOwn(value, '$ref')) return copyReference(value, place, copying, level, open)
  if (level >= copying.detail.levels && hasInner(value)) return openSchema(value, copying)
  const copied = membersOf(value).flatMap((name) => {
    const member = copyMember(name, value[name], { document, copying, level, open })
    if (member === undefined) return []
    spend(copying, name.length + 4)
    return [[name, member] as const]
  })
  return withoutReadOnly(Object.fromEntries(copied))
}

const inner = new Set<string>(['schema', 'schemas', 'schemas by name', 'schemas by pattern'])
const formOf = (name: string) => (Object.hasOwn(keywords, name) ? keywords[name as Keyword] : undefined)
const hasInner = (schema: SchemaObject): boolean => membersOf(schema).some((name) => inner.has(formOf(name) ?? ''))

function copyReference(schema: SchemaObject, from: Place, copying: Copying, level: number, open: ReadonlySet<string>) {
  const { $ref: reference, ...others } = schema
  const rest = copySchema({ value: others, document: from.document }, copying, level, open) as SchemaObject
  spend(copying, String(reference).length)
  const { address, ...target } = copying.documents.target(reference, from.document)
  const copied =
    open.has(address) || open.size >= maxOpen
      ? openSchema(isObject(target.value) ? target.value : {}, copying)
      : copySchema(target, copying, level, new Set([...open, address]))
  // Keywords beside a reference hold as well; annotations beside it describe this place better than its target does.
  if (isObject(copied) && !Object.keys(rest).some((name) => formOf(name))) return { ...copied, ...rest }
  const { allOf } = rest
  return { ...rest, allOf: [...(Array.isArray(allOf) ? (allOf as unknown[]) : []), copied] }
}

/** The schema without what is in it. */
function openSchema(schema: SchemaObject, copying: Copying): SchemaObject {
  const kept = ['type', 'description', 'nullable', 'readOnly'].flatMap((name) => {
    const value = copyMember(name, schema[name], { document: '', copying, level: 0, open: noReferences })
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(kept) as SchemaObject
}

interface Walk {
  document: string
  copying: Copying
  level: number
  open: ReadonlySet<string>
}

/** The copied value of a member; undefined if it is left out. */
function copyMember(name: string, value: unknown, walk: Walk): unknown {
  const { copying } = walk
  const form = formOf(name)
  if (form === undefined || value === undefined) return copyAnnotation(name, value, copying)
  // In OpenAPI 3.0 the limit itself is in `minimum`.
  if (copying.isVersion30 && name.startsWith('exclusiveM') && typeof value === 'boolean') return value
  if (leftOut.has(name) || isLong(value) || !keywordForms[form].holds(value)) return undefined
  if (name === 'pattern') return fits(value as string, copying.patterns) ? value : undefined
  if (form === 'schema') return copyInner(value, walk)
  if (form === 'schemas') return (value as unknown[]).map((one) => copyInner(one, walk))
  if (form === 'schemas by name' || form === 'schemas by pattern') return copyByName(name, value as SchemaObject, walk)
  return copyConstant(value, copying)
}

/** References are replaced by what these hold. Lists by name are rare, and long to look through. */
const leftOut = new Set(['$defs', 'definitions', 'dependentRequired'])

const isLong = (value: unknown): boolean => Array.isArray(value) && value.length > maxItems

const copyInner = (value: unknown, { document, copying, level, open }: Walk): unknown =>
  copySchema({ value, document }, copying, level + 1, open)

const longestName = 200
/** Items of a list in a schema. */
const maxItems = 1000

function copyByName(keyword: string, schemas: SchemaObject, walk: Walk): SchemaObject {
  const names = membersOf(schemas).filter(
    (name) =>
      name !== '__proto__' &&
      name.length <= longestName &&
      (keyword !== 'patternProperties' || fits(name, walk.copying.patterns)),
  )
  const copied = names.map((name) => {
    spend(walk.copying, name.length + 4)
    return [name, copyInner(schemas[name], walk)] as const
  })
  return Object.fromEntries(copied)
}

/** Requests must not have properties that only responses have (OpenAPI 3.0, 4.7.24.2; JSON Schema 2020-12, 9.4). */
function withoutReadOnly(schema: SchemaObject): SchemaObject {
  const { properties, required } = schema
  if (!isObject(properties)) return schema
  const gone = Object.keys(properties).filter((name) => isReadOnly(properties[name]))
  if (gone.length === 0) return schema
  const left = Object.entries(properties).filter(([name]) => !gone.includes(name))
  const needed = Array.isArray(required) ? required.filter((name) => !gone.includes(String(name))) : []
  return { ...schema, properties: Object.fromEntries(left), ...(required !== undefined && { required: needed }) }
}

const isReadOnly = (schema: unknown): boolean => isObject(schema) && schema['readOnly'] === true

const longestPattern = 500

function fits(pattern: string, left: PatternsLeft): boolean {
  if (pattern.length > longestPattern) return false
  left.characters -= 20 + pattern.length * (/\(\?[a-zA-Z-]*i/.test(pattern) ? 20 : 1)
  return left.characters >= 0 && !('problem' in compilePattern(pattern))
}

/** What the platform does not check, and models read. */
function copyAnnotation(name: string, value: unknown, copying: Copying): unknown {
  if (name === 'description' && typeof value === 'string') {
    const text = shortened(storable(value.slice(0, copying.detail.text + 1)), copying.detail.text)
    spend(copying, text.length)
    return text
  }
  if (name === 'readOnly' || (name === 'nullable' && copying.isVersion30)) return value === true || undefined
  return name === 'default' ? copyConstant(value, copying) : undefined
}
