import { isObject } from '../../json.ts'
import { isDeepStrictEqual } from 'node:util'
import { parse, readObject } from '../arguments.ts'
import type { Conversation } from './conversation.ts'

/** The sources of inputs: the payload's members, and `name: value` lines, which are texts. */
interface Facts {
  members: Record<string, unknown>
  lines: ReadonlyMap<string, string>
}

/** The payload is used if it is a JSON object. Of two lines with the same name, the later one counts. */
export function readFacts({ payload, instructions, words }: Conversation): Facts {
  const members = payload === undefined ? {} : (readObject(payload) ?? {})
  return { members, lines: new Map([...linesOf(instructions), ...linesOf(words)]) }
}

/**
 * The arguments for a tool: each input whose name the facts contain, with a compatible type and, for an `enum`, one of
 * its values. Undefined if a required input is missing.
 */
export function fillArguments(schema: unknown, facts: Facts): Record<string, unknown> | undefined {
  const { properties, required } = isObject(schema) ? schema : {}
  const inputs = isObject(properties) ? properties : {}
  const needed = Array.isArray(required) ? required.map(String) : []
  const names = [...new Set([...Object.keys(inputs), ...needed])]
  const filled = names.flatMap((name): [string, unknown][] => {
    const found = candidates(name, facts).find((value) => fits(ownMember(inputs, name), value))
    return found === undefined ? [] : [[name, found]]
  })
  const have = new Set(filled.map(([name]) => name))
  return needed.every((name) => have.has(name)) ? Object.fromEntries(filled) : undefined
}

/** The payload comes first. A line is tried as a text, then as the number, boolean or list that it spells. */
function candidates(name: string, { members, lines }: Facts): unknown[] {
  const member = ownMember(members, name)
  const line = completed(lines.get(name), members)
  if (line === undefined) return [member]
  const spelled = parse(line)
  return typeof spelled === 'string' ? [member, spelled] : [member, line, spelled]
}

/** The line with members of the payload where it names them: `Order {number} is late`. */
const completed = (line: string | undefined, members: Record<string, unknown>): string | undefined =>
  line?.replaceAll(/\{([A-Za-z_][\w.-]{0,99})\}/g, (named, name: string) => {
    const value = ownMember(members, name)
    return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : named
  })

function fits(schema: unknown, value: unknown): boolean {
  if (value === undefined) return false
  if (!isObject(schema)) return schema !== false
  const types = schema.type === undefined ? [] : [schema.type].flat()
  const allowed = 'const' in schema ? [schema.const] : schema.enum
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return false
  return !Array.isArray(allowed) || allowed.some((item) => isDeepStrictEqual(item, value))
}

/** JSON Schema 2020-12, validation, section 6.1.1: a number without a fraction is an integer. */
function isOfType(type: unknown, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'null') return value === null
  return typeof value === type
}

const ownMember = (record: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined

/** `name: value` or `name = value`, alone on a line, with or without a list marker. */
function linesOf(text: string): [string, string][] {
  return text.split('\n').flatMap((line): [string, string][] => {
    const [, name, value] = /^\s*(?:[-*] )?([A-Za-z_][\w.-]{0,99}) ?[:=](.*)$/.exec(line) ?? []
    return name && value?.trim() ? [[name, value.trim()]] : []
  })
}
