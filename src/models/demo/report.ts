import type { Conversation, MadeCall } from './conversation.ts'

/** How much of each result is quoted, in characters. */
const maxQuote = 200

/**
 * The demo model's final text: what started it, which fields it was told of, which tools it called, and how each call
 * ended.
 */
export function report({ trigger, schema, missing, calls }: Conversation, offered: number): string {
  const lacks = missing === undefined ? [] : [`I had to do without these sites: ${quote(missing)}.`]
  return [outcome(trigger, calls, offered), ...fieldsOf(schema), ...lacks].join(' ')
}

/** Of a schema of a payload, as agents have it. */
function fieldsOf(schema: unknown): string[] {
  if (!Array.isArray(schema)) return []
  const fields = (schema as Record<string, unknown>[]).map(({ name, type }) => `${String(name)} (${String(type)})`)
  return [`The payload was checked for ${quote(fields.join(', '))}.`]
}

function outcome(trigger: string, calls: MadeCall[], offered: number): string {
  if (calls.length > 0) return [trigger, ...calls.map(ending)].join(' ')
  const reason =
    offered === 0
      ? 'I was offered no tools, so I called none.'
      : `I called none of the tools that I was offered (${offered}).`
  return `${trigger} ${reason}`
}

function ending({ name, status, text }: MadeCall): string {
  const quoted = quote(text)
  if (status === 'succeeded') return `I called ${name}, which answered: ${quoted}.`
  if (status === 'failed') return `I called ${name}, which failed: ${quoted}.`
  return `I called ${name}, and it is unknown whether that took effect: ${quoted}.`
}

/** Cut between characters, on one line. */
function quote(text: string): string {
  const line = text
    .slice(0, maxQuote * 4)
    .replaceAll(/\s+/g, ' ')
    .trim()
  const characters = Array.from(line)
  const cut = characters.length > maxQuote || text.length > maxQuote * 4
  return cut ? `"${characters.slice(0, maxQuote - 1).join('')}…"` : `"${line}"`
}
