import type { Pojo } from 'objection'
import { isStorable } from '../text.ts'

/** Marks a column that holds a JSON string instead of the text itself. */
export const jsonMark = '\u0001'

/**
 * Stores any JavaScript text in a `text` column. Postgres refuses U+0000, and UTF-8 has no lone surrogates (RFC 3629,
 * section 3), but sites and models send both. Only such texts are stored as JSON, behind a mark.
 */
export const toColumn = (text: string): string => (isPlain(text) ? text : jsonMark + JSON.stringify(text))

export const fromColumn = (stored: string): string =>
  stored.startsWith(jsonMark) ? (JSON.parse(stored.slice(jsonMark.length)) as string) : stored

const isPlain = (text: string): boolean => !text.startsWith(jsonMark) && isStorable(text)

/** Converts a row's fields of this kind. */
export function mapTexts(row: Pojo, fields: readonly string[], convert: (text: string) => string): Pojo {
  const texts = fields.flatMap((field) => (typeof row[field] === 'string' ? [[field, convert(row[field])]] : []))
  return texts.length === 0 ? row : { ...row, ...Object.fromEntries(texts) }
}
