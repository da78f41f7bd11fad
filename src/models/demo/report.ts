import type { Conversation, MadeCall } from './conversation.ts'

const maxQuote = 200

/**
 * The demo model's final text: the trigger, the known payload fields, the called tools, and the outcome of each call.
 */
export function report({ trigger, schema, missing, calls }: Conversation, offered: number): string {
  const lacks = missing === undefined ? [] : [`These sites were unavailable: ${quote(missing)}.`]
  return [outcome(trigger, calls, offered), ...fieldsOf(schema), ...lacks].join(' ')
}

function fieldsOf(schema: unknown): string[] {
  if (!Array.isArray(schema)) return []
  const fields = (schema as Record<string, unknown>[]).map(({ name, type }) => `${String(name)} (${String(type)})`)
  return [`The payload was validated against ${quote(fields.join(', '))}.`]
}

function outcome(trigger: string, calls: MadeCall[], offered: number): string {
  if (calls.length > 0) return [trigger, ...calls.map(ending)].join(' ')
  const reason = offered === 0 ? 'I have no tools, so I called none.' : `I called none of my tools (${offered}).`
  return `${trigger} ${reason}`
}

function ending({ name, status, text }: MadeCall): string {
  const quoted = quote(text)
  if (status === 'succeeded') return `I called ${name}, which returned: ${quoted}.`
  if (status === 'failed') return `I called ${name}, which failed: ${quoted}.`
  return `I called ${name}, and it is unknown whether the call took effect: ${quoted}.`
}

/** Cuts between characters, on one line. */
function quote(text: string): string {
  const line = text
    .slice(0, maxQuote * 4)
    .replaceAll(/\s+/g, ' ')
    .trim()
  const characters = Array.from(line)
  const cut = characters.length > maxQuote || text.length > maxQuote * 4
  return cut ? `"${characters.slice(0, maxQuote - 1).join('')}…"` : `"${line}"`
}
