import type { ProviderKind } from '../../config/models-config.ts'
import type { SchemaObject } from '../../sites/schema/schema-keywords.ts'

export interface Fitting {
  kind: ProviderKind
  mostLevels: number
  names: Map<string, string>
  changes: Set<string>
}

/** Adds the type that a schema implies. Google rejects schemas without a type. */
export function inferType(schema: SchemaObject): SchemaObject {
  const { type, enum: values, const: value } = schema
  if (Array.isArray(type)) return { ...schema, type: type.length === 1 ? type[0] : [...new Set(type)] }
  if (type !== undefined) return schema
  if ('properties' in schema) return { type: 'object', ...schema }
  if ('items' in schema || 'prefixItems' in schema) return { type: 'array', ...schema }
  const constants: unknown[] = [...(Array.isArray(values) ? values : []), ...('const' in schema ? [value] : [])]
  const areTexts = constants.length > 0 && constants.every((one) => typeof one === 'string')
  return areTexts ? { type: 'string', ...schema } : schema
}

/** Google rejects every other format, and models understand the text just as well. */
const takenFormats = new Set(['date-time'])

/** Servers that compile a schema to a grammar reject patterns without anchors, and special groups. */
const takenPattern = /^\^(?!.*\(\?)[\x20-\x7e]*\$$/

/** Converts rules to text that providers reject or support only in part. */
export function fitTexts({ format, pattern, ...schema }: SchemaObject, { kind, changes }: Fitting): SchemaObject {
  const words: string[] = []
  const kept: SchemaObject = { ...schema }
  if (typeof format === 'string' && takenFormats.has(format)) kept['format'] = format
  else if (typeof format === 'string') words.push(`Format: ${format}.`)
  if (typeof pattern === 'string' && isTaken(pattern)) kept['pattern'] = pattern
  else if (typeof pattern === 'string') {
    words.push(`Pattern: ${JSON.stringify(pattern)}.`)
    changes.add('some providers accept only patterns written as ^…$, so models receive this pattern as text')
  }
  if (kind === 'google') words.push(...withoutOtherConstants(kept))
  if (words.length === 0) return kept
  const { description, ...rest } = kept
  const original = typeof description === 'string' ? [description] : []
  return { ...rest, description: [...original, ...words].join(' ') }
}

function isTaken(pattern: string): boolean {
  if (!takenPattern.test(pattern)) return false
  try {
    return Boolean(new RegExp(pattern, 'u'))
  } catch {
    return false
  }
}

/** Google accepts only constants that are strings. */
function withoutOtherConstants(schema: SchemaObject): string[] {
  const constants: unknown[] = 'const' in schema ? [schema['const']] : ((schema['enum'] as unknown[] | undefined) ?? [])
  if (constants.every((one) => typeof one === 'string')) return []
  delete schema['const']
  delete schema['enum']
  return [`One of: ${JSON.stringify(constants).slice(1, -1).slice(0, 300)}.`]
}
