import type { ErrorDetail } from '../../../errors.ts'
import { isObject, joinPath } from '../../../json.ts'
import { plainNumber } from '../../../outputs/exact-json.ts'
import { innerSchemas, memberOf, usedKeywords } from '../../schema/schema-keywords.ts'

const keyword = 'x-mcp-header'

/** A schema with the keyword: its parameter is repeated in a header (MCP 2026-07-28, "Schema Extension"). */
interface Place {
  schema: unknown
  /** Undefined where no parameter can be found by names alone. */
  path: string[] | undefined
  shown: string
}

/** The problems of the parameters that a schema declares for headers. A tool that has one must not be called. */
export function headerProblems(schema: unknown): ErrorDetail[] {
  const names = new Set<string>()
  return [...declared(schema)].flatMap(({ schema: given, path, shown }) => {
    const message = problemOf(given as Record<string, unknown>, path, names)
    return message === undefined ? [] : [{ path: joinPath(shown, keyword), message }]
  })
}

function problemOf(schema: Record<string, unknown>, path: string[] | undefined, names: Set<string>) {
  const { [keyword]: name, type } = schema
  if (!path?.length) return 'is only allowed for a property that is reached by names alone'
  if (typeof name !== 'string' || !/^[\w!#$%&'*+\-.^`|~]{1,100}$/.test(name)) return 'must be a name of a header'
  if (type !== 'string' && type !== 'integer' && type !== 'boolean')
    return 'is only allowed for a string, an integer or a boolean'
  if (names.has(name.toLowerCase())) return 'duplicates an earlier name of a header'
  names.add(name.toLowerCase())
  return names.size > mostHeaders ? `must not be used more than ${mostHeaders} times` : undefined
}

const mostHeaders = 20

/** The headers that repeat parameters of a call. A server refuses a call without them. */
export function parameterHeaders(schema: unknown, args: unknown): Record<string, string> {
  const headers = [...declared(schema)].flatMap(({ schema: given, path = [] }) => {
    const text = textOf(path.reduce(memberOf, args))
    return text === undefined ? [] : [[`Mcp-Param-${String(memberOf(given, keyword))}`, encoded(text)]]
  })
  return Object.fromEntries(headers) as Record<string, string>
}

/** The inner schemas with the keyword. */
function* declared(schema: unknown, path: string[] | undefined = [], shown = ''): Generator<Place> {
  if (!isObject(schema)) return
  if (Object.hasOwn(schema, keyword)) yield { schema, path, shown }
  for (const [name, value] of usedKeywords(schema)) {
    if (name === 'properties' && isObject(value)) {
      for (const [key, inner] of Object.entries(value))
        yield* declared(inner, path && [...path, key], joinPath(joinPath(shown, name), key))
    } else
      for (const [inner, at] of innerSchemas(name, value, joinPath(shown, name))) yield* declared(inner, undefined, at)
  }
}

function textOf(given: unknown): string | undefined {
  const value = plainNumber(given)
  if (typeof value === 'number') return Number.isSafeInteger(value) || value % 1 !== 0 ? String(value) : undefined
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined
}

/** Texts that no header field can hold unchanged (RFC 9110, 5.5) are written in Base64. */
const encoded = (text: string): string =>
  /^[!-~](?:[\t -~]*[!-~])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`
