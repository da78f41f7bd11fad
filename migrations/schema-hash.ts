import { createHash } from 'node:crypto'

/** Texts in quotes, whose white space counts; and what does not count: white space and comments. */
const parts = /('(?:[^']|'')*')|(?:\s|--.*)+/g

/** Twelve digits of a schema's SQL. They stay the same when only its comments or its layout change. */
export function schemaHash(sql: string): string {
  const bare = sql.replaceAll(parts, (_, quoted?: string) => quoted ?? ' ').trim()
  return createHash('sha256').update(bare).digest('hex').slice(0, 12)
}
