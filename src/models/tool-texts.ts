import { isObject } from '../json.ts'
import { innerSchemas, keywords, type Keyword } from '../sites/schema/schema-keywords.ts'

import { conditionsSentence, fittingSentence, toolLabel } from './prompt-format.ts'
import { visible } from './visible-text.ts'
import { shortened } from '../text.ts'

/** OpenAI refuses longer descriptions of tools. */
const maxDescription = 1024
const maxSiteName = 60
const maxNote = 300

/** The description of a tool for models. A stranger wrote it, so it is labeled, limited in length and on one line. */
export function describeTool(tool: DescribedTool): string {
  const { label, rules, room } = around(tool)
  return `${label} ${quoted(tool.description, room)}${rules}`
}

/** Whether models see only the beginning of the tool's description. */
export const isDescriptionCut = (tool: DescribedTool): boolean =>
  tool.description.length > around(tool).room || write(tool.description).length > around(tool).room

interface DescribedTool {
  siteName?: string | undefined
  description: string
  /** Rules for its arguments that its schema cannot contain. */
  conditions?: object | undefined
}

function around({ siteName = 'unnamed', conditions }: DescribedTool) {
  const label = toolLabel(quoted(siteName, maxSiteName))
  const rules = conditions ? ` ${conditionsInWords(conditions)}` : ''
  return { label, rules, room: maxDescription - label.length - 1 - rules.length }
}

/** Longer rules would leave too little room for the description. */
const maxConditions = 500

function conditionsInWords(conditions: object): string {
  const text = visible(JSON.stringify(conditions).toWellFormed()).replaceAll(/<<<|>>>/g, escapedSigns)
  return text.length > maxConditions ? conditionsSentence : `${fittingSentence} ${text}`
}

/** As a JSON string, whose end is unambiguous. No line in it can imitate one of the platform's fences. */
function quoted(text: string, most: number): string {
  // Each character takes at least its own space, so no more can fit.
  const written = write(text.slice(0, most))
  if (text.length <= most && written.length <= most) return written
  let end = 1
  for (const [sign] of written.slice(1, -1).matchAll(writtenSigns)) {
    if (end + sign.length + 2 > most) break
    end += sign.length
  }
  return `${written.slice(0, end)}…"`
}

const write = (text: string): string =>
  JSON.stringify(visible(text.toWellFormed())).replaceAll(/<<<|>>>/g, escapedSigns)

const escapedSigns = (signs: string): string =>
  signs === '<<<' ? String.raw`\u003c`.repeat(3) : String.raw`\u003e`.repeat(3)

/** One written character: an escape of `visible`, perhaps in two halves, a JSON escape, or itself. */
const writtenSigns = /\\\\ud[89ab]..\\\\ud[c-f]..|\\\\u[\da-f]{4}|\\u[\da-f]{4}|\\.|./gu

/** Keywords of a schema that are not rules. */
const notes = new Set(['title', 'description', 'default', 'examples'])

/**
 * A tool's input schema for models: exactly the rules that arguments are checked against, and short notes. Everything
 * else is omitted.
 */
export function shownSchema(schema: object): object {
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(schema)) {
    if (Object.hasOwn(keywords, name)) shown[name] = shownRule(name as Keyword, value)
    else if (notes.has(name)) shown[name] = shownNote(value)
  }
  return shown
}

/** Whether a text inside a schema, such as the description of a property, is cut for models. */
export function isNoteCut(schema: object): boolean {
  const entries = Object.entries(schema)
  return entries.some(([name, value]) =>
    Object.hasOwn(keywords, name)
      ? [...innerSchemas(name as Keyword, value, '')].some(([one]) => isObject(one) && isNoteCut(one))
      : notes.has(name) && typeof value === 'string' && value.length > maxNote,
  )
}

/** Only schemas have notes. Names and constants must stay unchanged. */
function shownRule(keyword: Keyword, value: unknown): unknown {
  const inner = [...innerSchemas(keyword, value, '')]
  if (inner.length === 0 || !(isObject(value) || Array.isArray(value))) return value
  const shown = inner.map(([one]) => (isObject(one) ? shownSchema(one) : one))
  if (Array.isArray(value)) return shown
  return inner.length === 1 && inner[0]?.[0] === value
    ? shown[0]
    : Object.fromEntries(Object.keys(value).map((name, index) => [name, shown[index]]))
}

function shownNote(value: unknown): unknown {
  if (typeof value === 'string') return visible(shortened(value, maxNote)).toWellFormed()
  if (Array.isArray(value)) return value.map(shownNote)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shownNote(member)]))
}
